/** Whether the assistant's button floats over the rooms: a choice of this browser. */

import { computed, ref } from 'vue';
import { remember, remembered } from '@/shared/remember';

const KEY = 'pm.ava.floats';
const isOn = ref(remembered(KEY, ['yes', 'no'] as const) !== 'no');

export const floats = computed({
  get: () => isOn.value,
  set: (on) => {
    isOn.value = on;
    remember(KEY, on ? 'yes' : 'no');
  },
});
