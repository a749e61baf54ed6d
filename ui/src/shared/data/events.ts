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

/** Milliseconds in which what becomes stale is gathered after something did. */
const GATHER = 120;

/**
 * The first tags are handed on at once, those that follow within a moment together: of what changes many times a
 * second, a refetch would otherwise be overtaken by the next one before it is there.
 */
function gathering(hand: (tags: string[]) => void) {
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  function pass() {
    timer = undefined;
    if (waiting.size === 0) return;
    const tags = [...waiting];
    waiting.clear();
    timer = setTimeout(pass, GATHER);
    hand(tags);
  }
  return (tags: readonly string[]) => {
    for (const tag of tags) waiting.add(tag);
    if (timer === undefined) pass();
  };
}

/** Follows the owner's events for as long as the calling scope lives. */
export function useEvents(transport: Transport, client: QueryClient): Readonly<Ref<Link>> {
  const link = ref<Link>('connecting');
  const gather = gathering((tags) => void invalidateTags(client, tags));
  const stop = transport.subscribe({
    onEvent(event) {
      if (event.kind === RESYNC) void client.invalidateQueries();
      else if (event.tags.length > 0) gather(event.tags);
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
