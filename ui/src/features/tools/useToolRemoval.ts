/** Removing a tool; its folder comes back from the trash, with its data and its rights. */

import { shallowRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { asCallError, type CallError } from '@/platform';
import { useUnseen } from '@/shared/composables/unseen';
import { useWayBack } from '@/shared/composables/wayBack';
import { useTransport } from '@/shared/data/calls';

export function useToolRemoval() {
  const { t } = useI18n();
  const transport = useTransport();
  const wayBack = useWayBack('tool.remove');
  const tellUnseen = useUnseen();
  const failed = shallowRef<{ tool: string; error: CallError }>();
  /** Nothing is asked any more about the one that is leaving. */
  const leaving = shallowRef<string>();

  /** Resolves to whether it was done, and then the list is without it; why not is in `failed`. */
  async function remove(tool: string, keepData: boolean): Promise<boolean> {
    failed.value = undefined;
    leaving.value = tool;
    try {
      const { id } = await transport.call('tool.remove', { tool, keepData });
      wayBack.offer(t('tools.remove.done', { tool }), () => transport.call('tool.restore', { id }));
      await wayBack.refetch();
      return true;
    } catch (error) {
      failed.value = { tool, error: asCallError(error, 'unknown') };
      tellUnseen(failed.value.error);
      return false;
    } finally {
      leaving.value = undefined;
    }
  }

  return { failed, leaving, remove };
}
