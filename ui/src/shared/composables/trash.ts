/** Putting a thing into the trash, from which it comes back as it was. */

import { shallowRef } from 'vue';
import { asCallError, type CallError, type CallName } from '@/platform';
import { useUnseen } from './unseen';
import { useWayBack } from './wayBack';

/** `change`: the call that puts it there. */
export function useTrash(change: CallName) {
  const wayBack = useWayBack(change);
  const tellUnseen = useUnseen();
  const failure = shallowRef<CallError>();

  /**
   * `done`: what is told of it; `restore` gets what `remove` gave. Resolves to whether it was done; why not is in
   * `failure`.
   */
  async function put<R>(
    done: string,
    { remove, restore }: { remove: () => Promise<R>; restore: (removed: R) => Promise<unknown> },
  ): Promise<boolean> {
    failure.value = undefined;
    let removed: R;
    try {
      removed = await remove();
    } catch (error) {
      failure.value = asCallError(error, 'unknown');
      tellUnseen(failure.value);
      return false;
    }
    wayBack.offer(done, () => restore(removed));
    void wayBack.refetch();
    return true;
  }

  return { failure, put };
}
