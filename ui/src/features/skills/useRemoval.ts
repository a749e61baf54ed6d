/** Removing a skill; its folder comes back from the trash. */

import { shallowRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { asCallError, type CallError } from '@/platform';
import { useWayBack } from '@/shared/composables/wayBack';
import { useTransport } from '@/shared/data/calls';

export function useRemoval() {
  const { t } = useI18n();
  const transport = useTransport();
  const wayBack = useWayBack('skill.remove');
  const failure = shallowRef<CallError>();

  /** Resolves to whether it was done; why not is in `failure`. */
  async function remove(skill: string): Promise<boolean> {
    failure.value = undefined;
    try {
      const { version } = await transport.call('skill.remove', { skill });
      wayBack.offer(t('skills.remove.done', { skill }), () =>
        transport.call('skill.restore', { skill, version }),
      );
    } catch (error) {
      failure.value = asCallError(error, 'unknown');
      return false;
    }
    void wayBack.refetch();
    return true;
  }

  return { failure, remove };
}
