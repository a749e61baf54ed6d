/** Taking a prompt out of the library; its last version brings it back. */

import { useI18n } from 'vue-i18n';
import type { PromptRow } from '@/generated/calls';
import { useTrash } from '@/shared/composables/trash';
import { useTransport } from '@/shared/data/calls';

export function useRemoval() {
  const { t } = useI18n();
  const transport = useTransport();
  const trash = useTrash('prompt.remove');

  async function bringBack(path: string) {
    const { versions } = await transport.call('prompt.versions', { path });
    const [last] = versions;
    if (last) await transport.call('prompt.restore', { path, version: last.version });
  }

  const remove = ({ path, name }: PromptRow) =>
    trash.put(path, t('prompts.remove.done', { prompt: name }), {
      remove: () => transport.call('prompt.remove', { path }),
      restore: () => bringBack(path),
    });

  return { failureOf: trash.failureOf, remove };
}
