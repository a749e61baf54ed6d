/** Removing a skill; its folder comes back from the trash. */

import { useQueryClient } from '@tanstack/vue-query';
import { shallowRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { calls } from '@/generated/calls';
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
  const refetch = () => invalidateTags(client, calls['skill.remove'].tags);

  /** Past the component's life: the person may have gone elsewhere meanwhile. */
  async function bringBack(skill: string, version: string) {
    try {
      await transport.call('skill.restore', { skill, version });
      await refetch();
    } catch (error) {
      const { message } = wordsOf(asCallError(error, 'unknown'), t, te);
      toasts.show({ text: message, tone: 'bad' });
    }
  }

  /** Resolves to whether it was done; why not is in `failure`. */
  async function remove(skill: string): Promise<boolean> {
    failure.value = undefined;
    try {
      const { version } = await transport.call('skill.remove', { skill });
      toasts.show({
        text: t('skills.remove.done', { skill }),
        action: { label: t('common.undo'), run: () => void bringBack(skill, version) },
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
