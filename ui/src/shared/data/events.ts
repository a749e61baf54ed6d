/** Connects the event stream with the cache: events carry tags, tags make queries stale. */

import type { QueryClient } from '@tanstack/vue-query';
import { inject, onScopeDispose, ref, type InjectionKey, type Ref } from 'vue';
import { RESYNC, type Link, type Transport } from '@/platform';
import { invalidateTags } from './calls';

/** State of the connection, provided by AppShell. */
export const LINK: InjectionKey<Readonly<Ref<Link>>> = Symbol('link');

/** Where nothing is provided (tests of single parts) the link counts as open. */
export function useLink(): Readonly<Ref<Link>> {
  return inject(LINK, () => ref<Link>('open'), true);
}

/** Follows the owner's events for as long as the calling scope lives. */
export function useEvents(transport: Transport, client: QueryClient): Readonly<Ref<Link>> {
  const link = ref<Link>('connecting');
  const stop = transport.subscribe({
    onEvent(event) {
      if (event.kind === RESYNC) void client.invalidateQueries();
      else if (event.tags.length > 0) void invalidateTags(client, event.tags);
    },
    onLink(now) {
      link.value = now;
      // What failed while the server was away is tried again when it is back.
      if (now === 'open') {
        void client.refetchQueries({
          type: 'active',
          predicate: (query) => query.state.status === 'error',
        });
      }
    },
  });
  onScopeDispose(stop);
  return link;
}
