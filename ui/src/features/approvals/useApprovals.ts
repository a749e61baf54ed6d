/** Questions that wait for the person, and her answers. */

import { useQueryClient } from '@tanstack/vue-query';
import { computed, watch, type ComputedRef } from 'vue';
import type { ApprovalRow } from '@/generated/calls';
import { invalidateTags, useCall } from '@/shared/data/calls';

/** The owner lets no more wait at once. */
const MOST = 100;

/** Oldest first: it has waited longest. */
export function useWaiting(): ComputedRef<ApprovalRow[]> {
  const query = useCall('approval.list', { state: 'waiting', page: { offset: 0, limit: MOST } });
  return computed(() =>
    [...(query.data.value?.approvals ?? [])].sort((a, b) => a.createdAt - b.createdAt),
  );
}

/** A command that asks, or asked no longer, is shown so: the question itself is all that is told. */
export function useAskedCommands(): void {
  const client = useQueryClient();
  const waiting = useWaiting();
  watch(
    () => waiting.value.map(({ id }) => id).join(),
    () => void invalidateTags(client, ['commands']),
  );
}

/** Why it is asked, in words; the form of the detail depends on who asks. */
export function reasonOf({ detail }: ApprovalRow): string {
  if (typeof detail !== 'object' || detail === null || !('reason' in detail)) return '';
  return typeof detail.reason === 'string' ? detail.reason : '';
}
