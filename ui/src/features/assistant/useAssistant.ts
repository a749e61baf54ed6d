/** The assistant as the page and the dialog see it: one conversation, wherever it is shown. */

import { computed, ref } from 'vue';
import { useCall, useChange } from '@/shared/data/calls';
import { isSendable } from './model';

/** Messages that are shown at first, and how many more each time. */
const PAGE = 100;
/** The server gives no more at once. */
const MOST = 5000;
/** A second wish so soon is the same finger. */
const SOON = 500;

export function useView() {
  return useCall('assistant.show', {});
}

/** What is worked on: told several times a second while a model answers, and nothing else is asked for with it. */
export function useWish() {
  const now = useCall('assistant.now', {});
  return computed(() => now.data.value?.wish);
}

export function useConversation() {
  const count = ref(PAGE);
  const query = useCall('assistant.messages', () => ({ limit: count.value }), { keep: true });
  const messages = computed(() => query.data.value?.messages ?? []);
  const more = computed(() => query.data.value?.more === true && count.value < MOST);
  const older = () => (count.value = Math.min(MOST, count.value + PAGE));
  return { query, messages, more, older };
}

export function useSending() {
  const sending = useChange('assistant.send');
  let last = -Infinity;
  /** Whether it was taken. */
  async function send(text: string): Promise<boolean> {
    const now = performance.now();
    if (!isSendable(text) || sending.isPending.value || now - last < SOON) return false;
    last = now;
    // Why it was not taken is in `sending.error`.
    const sent = await sending.mutateAsync({ text }).catch(() => undefined);
    return sent !== undefined;
  }
  return { send, error: sending.error, pending: sending.isPending };
}
