/**
 * The script within a page that the assistant works on. It is put there before the page's own code, knows nothing of
 * the rest of the program, and is never asked whether something is allowed.
 */

import { perform, prepare, quiet } from './act';
import { install, isListening } from './hooks';
import { isLeaving, noteLeaving } from './leaving';
import { scan } from './scan';
import { focus, selectAll } from './type';
import { until } from './wait';
import { ask, asked } from './window';

declare global {
  // The name by which drivers call it.
  var pmPage: Readonly<typeof script> | undefined;
}

const script = {
  scan,
  prepare,
  perform,
  quiet,
  until,
  selectAll,
  focus,
  ask,
  asked,
  isLeaving,
  isListening,
};

if (globalThis.pmPage === undefined) {
  install(globalThis);
  noteLeaving();
  Object.defineProperty(globalThis, 'pmPage', {
    value: Object.freeze(script),
    enumerable: false,
  });
}
