/** Granting and revoking folders. To revoke asks nothing and can be undone. */

import { useQueryClient } from '@tanstack/vue-query';
import { useI18n } from 'vue-i18n';
import { calls } from '@/generated/calls';
import { asCallError } from '@/platform';
import { useToasts } from '@/shared/composables';
import { invalidateTags, useChange, useTransport } from '@/shared/data/calls';
import { wordsOf } from '@/shared/errorWords';

export function useGrants(tool: () => string) {
  const { t, te } = useI18n();
  const transport = useTransport();
  const client = useQueryClient();
  const toasts = useToasts();
  const granting = useChange('tool.grant');
  const revoking = useChange('tool.revoke');

  /** Whether it is granted now; why not stands in `granting.error`. */
  async function grant(directory: string): Promise<boolean> {
    revoking.reset();
    return granting.mutateAsync({ tool: tool(), directory }).then(
      () => true,
      () => false,
    );
  }

  async function revoke(directory: string): Promise<void> {
    granting.reset();
    const subject = tool();
    const done = await revoking.mutateAsync({ tool: subject, directory }).then(
      () => true,
      // Shown in the section: it stays in `revoking.error`.
      () => false,
    );
    if (!done) return;
    toasts.show({
      text: t('tools.folders.revoked', { path: directory }),
      action: { label: t('common.undo'), run: () => void restore(subject, directory) },
    });
  }

  /** Past the component's life: the person may have gone to another tab meanwhile. */
  async function restore(subject: string, directory: string): Promise<void> {
    try {
      await transport.call('tool.grant', { tool: subject, directory });
      await invalidateTags(client, calls['tool.grant'].tags);
    } catch (failure) {
      const { message } = wordsOf(asCallError(failure, 'unknown'), t, te);
      toasts.show({ text: message, tone: 'bad' });
    }
  }

  return { granting, revoking, grant, revoke };
}
