/** The way back from what was just done: offered in the news, and good after the page is gone. */

import { useQueryClient } from '@tanstack/vue-query';
import { useI18n } from 'vue-i18n';
import { calls } from '@/generated/calls';
import { asCallError, type CallName } from '@/platform';
import { invalidateTags } from '@/shared/data/calls';
import { wordsOf } from '@/shared/errorWords';
import { useToasts } from './toasts';

/** `change`: the call that did it; what it makes stale is refetched by either way. */
export function useWayBack(change: CallName) {
  const { t, te } = useI18n();
  const client = useQueryClient();
  const toasts = useToasts();
  const refetch = () => invalidateTags(client, calls[change].tags);

  async function take(back: () => Promise<unknown>) {
    try {
      await back();
      await refetch();
    } catch (error) {
      const { message } = wordsOf(asCallError(error, 'unknown'), t, te);
      toasts.show({ text: message, tone: 'bad' });
    }
  }

  /** `text`: what was done. */
  function offer(text: string, back: () => Promise<unknown>) {
    toasts.show({ text, action: { label: t('common.undo'), run: () => void take(back) } });
  }

  return { offer, refetch };
}
