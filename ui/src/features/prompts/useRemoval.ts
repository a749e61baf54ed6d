/** Taking a prompt out of the library; its last version brings it back. */

import { useQueryClient } from '@tanstack/vue-query';
import { shallowRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { calls, type PromptRow } from '@/generated/calls';
import { asCallError, type CallError } from '@/platform';
import { useToasts } from '@/shared/composables';
import { invalidateTags, useTransport } from '@/shared/data/calls';
import { wordsOf } from '@/shared/errorWords';

export function useRemoval() {
  const { t, te } = useI18n();
  const transport = useTransport();
  const client = useQueryClient();
  const toasts = useToasts();
  const failure = shallowRef<CallError>();
  const refetch = () => invalidateTags(client, calls['prompt.remove'].tags);

  /** Past the component's life: the person may have gone elsewhere meanwhile. */
  async function bringBack(path: string) {
    try {
      const { versions } = await transport.call('prompt.versions', { path });
      const [last] = versions;
      if (last) await transport.call('prompt.restore', { path, version: last.version });
      await refetch();
    } catch (error) {
      const { message } = wordsOf(asCallError(error, 'unknown'), t, te);
      toasts.show({ text: message, tone: 'bad' });
    }
  }

  /** Resolves to whether it was done; why not is in `failure`. */
  async function remove({ path, name }: PromptRow): Promise<boolean> {
    failure.value = undefined;
    try {
      await transport.call('prompt.remove', { path });
    } catch (error) {
      failure.value = asCallError(error, 'unknown');
      return false;
    }
    toasts.show({
      text: t('prompts.remove.done', { prompt: name }),
      action: { label: t('common.undo'), run: () => void bringBack(path) },
    });
    void refetch();
    return true;
  }

  return { failure, remove };
}
