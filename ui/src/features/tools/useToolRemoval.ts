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
  const failed = shallowRef<{ tool: string; error: CallError }>();
  /** Nothing is asked any more about the one that is leaving. */
  const leaving = shallowRef<string>();
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

  /** Resolves to whether it was done, and then the list is without it; why not is in `failed`. */
  async function remove(tool: string, keepData: boolean): Promise<boolean> {
    failed.value = undefined;
    leaving.value = tool;
    try {
      const { id } = await transport.call('tool.remove', { tool, keepData });
      toasts.show({
        text: t('tools.remove.done', { tool }),
        action: { label: t('common.undo'), run: () => void bringBack(id) },
      });
      await refetch();
      return true;
    } catch (error) {
      failed.value = { tool, error: asCallError(error, 'unknown') };
      return false;
    } finally {
      leaving.value = undefined;
    }
  }

  return { failed, leaving, remove };
}
