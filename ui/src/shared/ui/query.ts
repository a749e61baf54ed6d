import type { Ref } from 'vue';
import type { CallError } from '@/platform';

/** What the parts need of what useCall gives. */
export interface QueryFace<T> {
  data: Readonly<Ref<T | undefined>>;
  error: Readonly<Ref<CallError | null>>;
  refetch: () => unknown;
}
