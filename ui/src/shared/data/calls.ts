/**
 * Calls as queries and mutations. A query's key is the call's name and parameters; what makes
 * it stale is declared in Rust (the tags of the generated table), not here.
 */

import {
  keepPreviousData,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from '@tanstack/vue-query';
import { computed, inject, toValue, type InjectionKey, type MaybeRefOrGetter } from 'vue';
import { calls } from '@/generated/calls';
import type { CallError, CallName, Params, Result, Transport } from '@/platform';
import { useUnseen } from '@/shared/composables/unseen';

export const TRANSPORT: InjectionKey<Transport> = Symbol('transport');

export function useTransport(): Transport {
  const transport = inject(TRANSPORT);
  if (!transport) throw new Error('no transport is provided');
  return transport;
}

export interface CallOptions {
  /** The call is made only while this holds. */
  enabled?: MaybeRefOrGetter<boolean>;
  /** While other parameters are asked for, the last answer stays. */
  keep?: boolean;
}

/** A reading call. */
export function useCall<N extends CallName>(
  name: N,
  params: MaybeRefOrGetter<Params<N>>,
  options: CallOptions = {},
) {
  const transport = useTransport();
  return useQuery<Result<N>, CallError>({
    queryKey: computed(() => [name, toValue(params)]),
    queryFn: ({ signal }) => transport.call(name, toValue(params), signal),
    enabled: computed(() => toValue(options.enabled) ?? true),
    ...(options.keep && { placeholderData: keepPreviousData }),
  });
}

export interface ChangeOptions {
  /** A refusal takes nothing from the person: nobody is told of it. */
  unasked?: boolean;
}

/**
 * A changing call; what it makes stale is refetched when it succeeded. A failure that no
 * `ErrorPanel` shows, since who asked has gone on, is told in the news.
 */
export function useChange<N extends CallName>(name: N, { unasked = false }: ChangeOptions = {}) {
  const transport = useTransport();
  const client = useQueryClient();
  const tellUnseen = useUnseen();
  return useMutation<Result<N>, CallError, Params<N>>({
    mutationFn: (params) => transport.call(name, params),
    onSuccess: () => invalidateTags(client, calls[name].tags),
    ...(!unasked && { onError: tellUnseen }),
  });
}

/** Refetches what is shown and carries one of the tags. */
export function invalidateTags(client: QueryClient, tags: readonly string[]): Promise<void> {
  return client.invalidateQueries({ predicate: ({ queryKey }) => isStale(queryKey[0], tags) });
}

/** Whether a query of this call shows something that carries one of the tags. */
export function isStale(name: unknown, tags: readonly string[]): boolean {
  if (typeof name !== 'string' || !Object.hasOwn(calls, name)) return false;
  const shown: readonly string[] = calls[name as CallName].tags;
  return shown.some((tag) => tags.includes(tag));
}
