/** Putting a notebook into the trash, from which it comes back as it was. */

import { shallowRef } from 'vue';
import { useI18n } from 'vue-i18n';
import type { CanvasRow } from '@/generated/calls';
import { asCallError, type CallError } from '@/platform';
import { useWayBack } from '@/shared/composables/wayBack';
import { useTransport } from '@/shared/data/calls';

export function useRemoval() {
  const { t } = useI18n();
  const transport = useTransport();
  const wayBack = useWayBack('cells.remove');
  const failure = shallowRef<CallError>();

  /** Resolves to whether it was done; why not is in `failure`. */
  async function remove({ id, title }: CanvasRow): Promise<boolean> {
    failure.value = undefined;
    try {
      await transport.call('cells.remove', { canvas: id });
    } catch (error) {
      failure.value = asCallError(error, 'unknown');
      return false;
    }
    wayBack.offer(t('cells.remove.done', { title }), () =>
      transport.call('cells.restore', { canvas: id }),
    );
    void wayBack.refetch();
    return true;
  }

  return { failure, remove };
}
