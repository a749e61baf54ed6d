/** Deleting a picture, and taking that back. Both outlive the page that began them. */

import { shallowRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { useRouter } from 'vue-router';
import type { ArtifactRow } from '@/generated/calls';
import { asCallError, type CallError } from '@/platform';
import { useToasts } from '@/shared/composables/toasts';
import { useChange } from '@/shared/data/calls';

const failure = shallowRef<CallError>();

export function useRemoval() {
  const { t } = useI18n();
  const router = useRouter();
  const toasts = useToasts();
  const removing = useChange('artifact.remove');
  const restoring = useChange('artifact.restore');

  async function restore(id: string, wasOpen: boolean) {
    failure.value = undefined;
    try {
      await restoring.mutateAsync({ id });
    } catch (error) {
      failure.value = asCallError(error, 'unknown');
      return;
    }
    const inGallery = /^\/canvas(\/|$)/.test(router.currentRoute.value.path);
    if (wasOpen && inGallery) await router.replace(`/canvas/${id}`);
  }

  /** Resolves to whether it is gone. */
  async function remove(row: Pick<ArtifactRow, 'id' | 'title'>, wasOpen: boolean) {
    failure.value = undefined;
    try {
      await removing.mutateAsync({ id: row.id });
    } catch (error) {
      failure.value = asCallError(error, 'unknown');
      return false;
    }
    toasts.show({
      text: t('canvas.removed', { title: row.title || t('canvas.untitled') }),
      action: { label: t('common.undo'), run: () => void restore(row.id, wasOpen) },
    });
    return true;
  }

  return { failure, remove };
}
