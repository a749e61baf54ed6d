/** Granting and revoking rights of one kind. To revoke asks nothing and can be undone. */

import { useMutation, useQueryClient } from '@tanstack/vue-query';
import { computed } from 'vue';
import { useI18n } from 'vue-i18n';
import { calls, type Grants } from '@/generated/calls';
import { asCallError, type CallError, type Transport } from '@/platform';
import { useToasts } from '@/shared/composables';
import { invalidateTags, useTransport } from '@/shared/data/calls';
import { wordsOf } from '@/shared/errorWords';
import { EVERY, portOf, type Kind } from './rights';

interface Change {
  tool: string;
  value: string;
  allow: boolean;
}

export function useRights(kind: Kind, tool: () => string) {
  const { t, te } = useI18n();
  const transport = useTransport();
  const client = useQueryClient();
  const toasts = useToasts();
  const changing = useMutation<Grants, CallError, Change>({
    mutationFn: (change) => send(transport, kind, change),
    onSuccess: () => invalidateTags(client, calls['tool.grant'].tags),
  });

  /** What it is called in a sentence. */
  function nameOf(value: string): string {
    if (kind === 'programs') return t('tools.programs.what');
    if (kind === 'folders') return value;
    const port = portOf(value);
    if (port !== undefined) return t('tools.network.port', { port });
    return value === EVERY ? t('tools.network.every') : value;
  }

  /** Whether it is done; why not stands in `error`. */
  async function change(allow: boolean, value: string): Promise<boolean> {
    return changing.mutateAsync({ tool: tool(), value, allow }).then(
      () => true,
      () => false,
    );
  }

  async function revoke(value: string): Promise<void> {
    const subject = tool();
    if (!(await change(false, value))) return;
    toasts.show({
      text: t('tools.rights.revoked', { what: nameOf(value) }),
      action: { label: t('common.undo'), run: () => void restore(subject, value) },
    });
  }

  /** Past the component's life: the person may have gone to another tab meanwhile. */
  async function restore(subject: string, value: string): Promise<void> {
    try {
      await send(transport, kind, { tool: subject, value, allow: true });
      await invalidateTags(client, calls['tool.grant'].tags);
    } catch (failure) {
      const { message } = wordsOf(asCallError(failure, 'unknown'), t, te);
      toasts.show({ text: message, tone: 'bad' });
    }
  }

  return {
    nameOf,
    grant: (value: string) => change(true, value),
    revoke,
    busy: changing.isPending,
    error: changing.error,
    /** Told to who cannot see that the row has changed. */
    granted: computed(() => {
      const last = changing.isSuccess.value ? changing.variables.value : undefined;
      return last?.allow === true ? last.value : undefined;
    }),
  };
}

function send(transport: Transport, kind: Kind, { tool, value, allow }: Change): Promise<Grants> {
  switch (kind) {
    case 'folders':
      return transport.call(allow ? 'tool.grant' : 'tool.revoke', { tool, directory: value });
    case 'network':
      return transport.call('tool.network', { tool, [allow ? 'grant' : 'revoke']: [value] });
    case 'programs':
      return transport.call('tool.processes', { tool, allow });
  }
}
