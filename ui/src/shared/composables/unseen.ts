/**
 * Failures of changes that nobody sees: a dialog was closed, or its page left, while the call still
 * went on. They are told in the news. Where a failure is seen is known by `ErrorPanel`.
 */

import { useI18n } from 'vue-i18n';
import type { CallError } from '@/platform';
import { wordsOf } from '@/shared/errorWords';
import { useToasts } from './toasts';

/** In this time it is on the page, if it has a place there. */
const SHOWN_MS = 200;
/** What was to be stopped has ended by itself. */
const MOOT = 'run_not_open';

const seen = new WeakSet<object>();

/** It is on the page, with its words. */
export function markSeen(failure: object): void {
  seen.add(failure);
}

/** What tells of a failure, unless it comes to be seen; past the component's life as well. */
export function useUnseen(): (failure: CallError) => void {
  const { t, te } = useI18n();
  const toasts = useToasts();
  return (failure) => {
    if (failure.code === MOOT) return;
    setTimeout(() => {
      if (seen.has(failure)) return;
      toasts.show({ text: wordsOf(failure, t, te).message, tone: 'bad' });
    }, SHOWN_MS);
  };
}
