/** Putting a thing into the trash, from which it comes back as it was. */

import { shallowRef } from 'vue';
import { asCallError, type CallError, type CallName } from '@/platform';
import { useUnseen } from './unseen';
import { useWayBack } from './wayBack';

/** `change`: the call that puts it there. */
export function useTrash(change: CallName) {
  const wayBack = useWayBack(change);
  const tellUnseen = useUnseen();
  const failed = shallowRef<{ what: string; why: CallError }>();

  /**
   * `what` goes there, and `done` is told of it; `restore` gets what `remove` gave. Resolves to whether it was done;
   * why not is in `failureOf(what)`.
   */
  async function put<R>(
    what: string,
    done: string,
    { remove, restore }: { remove: () => Promise<R>; restore: (removed: R) => Promise<unknown> },
  ): Promise<boolean> {
    failed.value = undefined;
    let removed: R;
    try {
      removed = await remove();
    } catch (error) {
      const why = asCallError(error, 'unknown');
      failed.value = { what, why };
      tellUnseen(why);
      return false;
    }
    wayBack.offer(done, () => restore(removed));
    void wayBack.refetch();
    return true;
  }

  /** Why it is still there, if it was the last that was to go. */
  const failureOf = (what: string) => (failed.value?.what === what ? failed.value.why : undefined);

  return { failureOf, put };
}
