/** Removing a tool; its folder comes back from the trash, with its data and its rights. */

import { useQueryClient } from '@tanstack/vue-query';
import { shallowRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { calls } from '@/generated/calls';
import { asCallError, type CallError } from '@/platform';
import { useToasts } from '@/shared/composables';
import { invalidateTags, useTransport } from '@/shared/data/calls';
import { wordsOf } from '@/shared/errorWords';

export function useToolRemoval() {
  const { t, te } = useI18n();
  const transport = useTransport();
  const client = useQueryClient();
  const toasts = useToasts();
  const failure = shallowRef<CallError>();
  const refetch = () => invalidateTags(client, calls['tool.remove'].tags);

  /** Past the component's life: the tool's page is gone by then. */
  async function bringBack(id: string) {
    try {
      await transport.call('tool.restore', { id });
      await refetch();
    } catch (error) {
      const { message } = wordsOf(asCallError(error, 'unknown'), t, te);
      toasts.show({ text: message, tone: 'bad' });
    }
  }

  /** Resolves to whether it was done; why not is in `failure`. */
  async function remove(tool: string, keepData: boolean): Promise<boolean> {
    failure.value = undefined;
    try {
      const { id } = await transport.call('tool.remove', { tool, keepData });
      toasts.show({
        text: t('tools.remove.done', { tool }),
        action: { label: t('common.undo'), run: () => void bringBack(id) },
      });
    } catch (error) {
      failure.value = asCallError(error, 'unknown');
      return false;
    }
    void refetch();
    return true;
  }

  return { failure, remove };
}
