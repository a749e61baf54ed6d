/** How far somebody is with the first steps: a choice of this browser, since they greet who comes with it. */

import { ref } from 'vue';
import { remember, remembered } from '@/shared/remember';

const KEY = 'pm.firstSteps';
/** `again`: the settings brought them back, and they stay although all may be done. */
const STAGES = ['begun', 'again', 'over'] as const;
type Stage = (typeof STAGES)[number];

export function useTour() {
  /** Undefined before it is known whether somebody is new here. */
  const stage = ref(remembered(KEY, STAGES));

  function set(now: Stage) {
    stage.value = now;
    remember(KEY, now);
  }

  return { stage, set };
}
