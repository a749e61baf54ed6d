/**
 * What the address chooses in a list, and the ways to another choice. The page's template names its
 * list and its detail `list` and `detail`: the focus goes to and fro between them.
 */

import { computed, nextTick, useTemplateRef } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import type { Places } from '@/shared/places';
import { useNarrow } from './narrow';

interface Focusable {
  focus(): void;
}

/** `param`: what the route calls the key of the chosen thing. */
export function useListPage<Tab extends string>(param: string, places: Places<Tab>) {
  const route = useRoute();
  const router = useRouter();
  const narrow = useNarrow();
  const list = useTemplateRef<Focusable>('list');
  const detail = useTemplateRef<Focusable>('detail');
  const chosen = computed(() => one(route.params[param]));
  const tab = computed(() => places.tabOf(one(route.params.tab)));

  /** Along the list by keys: no step of it is a place to come back to. */
  function move(key: string) {
    if (!narrow.value) void router.replace(places.addressOf(key, tab.value));
  }

  /** From the list; whoever looked at a tab goes on with it. */
  async function open(key: string, by: 'enter' | 'click') {
    if (key !== chosen.value) {
      const kept = chosen.value === undefined ? undefined : tab.value;
      await router.push(places.addressOf(key, kept));
    }
    await nextTick();
    // The list keeps the focus of a click beside the detail; otherwise the focus goes along.
    if (by === 'enter' || narrow.value) detail.value?.focus();
  }

  /** From elsewhere: something new, or brought back. */
  async function show(key: string, to?: Tab) {
    await router.push(places.addressOf(key, to));
  }

  function go(to: Tab) {
    if (chosen.value !== undefined) void show(chosen.value, to);
  }

  async function back() {
    await router.push(places.root);
    await nextTick();
    list.value?.focus();
  }

  return { chosen, tab, narrow, detail, move, open, show, go, back };
}

function one(param: string | string[] | undefined): string | undefined {
  return (Array.isArray(param) ? param[0] : param) || undefined;
}
