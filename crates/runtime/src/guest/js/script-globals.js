// A script is not a Node program: no process, no Buffer, no immediates.
for (const name of ['process', 'Buffer', 'global', 'setImmediate', 'clearImmediate']) {
  delete globalThis[name];
}
// Whatever is made when it is first touched is made now: while a script runs, nothing of the
// module registry does, so that changed built-ins and stack traces show none of it.
for (const name of Object.getOwnPropertyNames(globalThis)) void globalThis[name];
