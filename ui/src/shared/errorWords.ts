/** The words of a failure, the same wherever it is shown. */

import type { WireError } from '@/generated/calls';

/** A CallError, or a WireError out of a result. */
export type Failure = Pick<WireError, 'code' | 'message'> & {
  hint?: string | undefined;
  args?: Record<string, unknown> | undefined;
};

export interface FailureWords {
  message: string;
  hint: string | undefined;
}

/** Failures that never reached the owner come without words; the page has its own for them. */
export function wordsOf(
  { code, message, hint, args }: Failure,
  t: (key: string, named: Record<string, unknown>) => string,
  te: (key: string) => boolean,
): FailureWords {
  if (message) return { message, hint };
  const own = te(`errors.${code}.message`) ? code : 'unknown';
  const named = args ?? {};
  return { message: t(`errors.${own}.message`, named), hint: t(`errors.${own}.hint`, named) };
}
