/** Taking a prompt out of the library; its last version brings it back. */

import { shallowRef } from 'vue';
import { useI18n } from 'vue-i18n';
import type { PromptRow } from '@/generated/calls';
import { asCallError, type CallError } from '@/platform';
import { useWayBack } from '@/shared/composables/wayBack';
import { useTransport } from '@/shared/data/calls';

export function useRemoval() {
  const { t } = useI18n();
  const transport = useTransport();
  const wayBack = useWayBack('prompt.remove');
  const failure = shallowRef<CallError>();

  async function bringBack(path: string) {
    const { versions } = await transport.call('prompt.versions', { path });
    const [last] = versions;
    if (last) await transport.call('prompt.restore', { path, version: last.version });
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
    wayBack.offer(t('prompts.remove.done', { prompt: name }), () => bringBack(path));
    void wayBack.refetch();
    return true;
  }

  return { failure, remove };
}
