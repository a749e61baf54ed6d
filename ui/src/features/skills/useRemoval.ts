/** Removing a skill; its folder comes back from the trash. */

import { useI18n } from 'vue-i18n';
import { useTrash } from '@/shared/composables/trash';
import { useTransport } from '@/shared/data/calls';

export function useRemoval() {
  const { t } = useI18n();
  const transport = useTransport();
  const trash = useTrash('skill.remove');

  const remove = (skill: string) =>
    trash.put(skill, t('skills.remove.done', { skill }), {
      remove: () => transport.call('skill.remove', { skill }),
      restore: ({ version }) => transport.call('skill.restore', { skill, version }),
    });

  return { failureOf: trash.failureOf, remove };
}
