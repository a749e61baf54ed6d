/** Deleting, bringing back and restoring files; each can be taken back for a while. */

import { useQueryClient } from '@tanstack/vue-query';
import { shallowRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { calls, type VersionRef } from '@/generated/calls';
import { asCallError, type CallError } from '@/platform';
import { useToasts } from '@/shared/composables';
import { useUnseen } from '@/shared/composables/unseen';
import { invalidateTags, useTransport } from '@/shared/data/calls';
import { wordsOf } from '@/shared/errorWords';

export function useChanges(task: () => string) {
  const { t, te } = useI18n();
  const transport = useTransport();
  const client = useQueryClient();
  const toasts = useToasts();
  const tellUnseen = useUnseen();
  const failure = shallowRef<CallError>();

  const refetch = () => invalidateTags(client, calls['workspace.delete'].tags);

  /** Past the component's life: the person may have gone elsewhere meanwhile. */
  async function takeBack(work: () => Promise<unknown>) {
    try {
      await work();
      await refetch();
    } catch (error) {
      const { message } = wordsOf(asCallError(error, 'unknown'), t, te);
      toasts.show({ text: message, tone: 'bad' });
    }
  }

  /** Resolves to whether it was done; why not is in `failure`. */
  async function change(
    work: () => Promise<{ change: string }>,
    text: string,
    undo?: (change: string) => Promise<unknown>,
  ): Promise<boolean> {
    failure.value = undefined;
    try {
      const { change: made } = await work();
      toasts.show({
        text,
        ...(undo && {
          action: { label: t('common.undo'), run: () => void takeBack(() => undo(made)) },
        }),
      });
    } catch (error) {
      failure.value = asCallError(error, 'unknown');
      tellUnseen(failure.value);
      return false;
    }
    await refetch();
    return true;
  }

  function remove(path: string) {
    const taskId = task();
    return change(
      () => transport.call('workspace.delete', { taskId, path }),
      t('workspaces.files.deleted', { path }),
      (made) => transport.call('workspace.undelete', { taskId, change: made }),
    );
  }

  function undelete(id: string, path: string) {
    const taskId = task();
    return change(
      () => transport.call('workspace.undelete', { taskId, change: id }),
      t('workspaces.trash.back', { path }),
    );
  }

  function restore(version: VersionRef, path: string) {
    const taskId = task();
    return change(
      () => transport.call('workspace.restore', { taskId, version }),
      t('workspaces.history.restored', { path }),
      (made) => transport.call('workspace.restore', { taskId, version: { before: made } }),
    );
  }

  return { failure, remove, undelete, restore };
}
