// A script is not a Node program: no process, no Buffer, no immediates.
for (const name of ['process', 'Buffer', 'global', 'setImmediate', 'clearImmediate']) {
  delete globalThis[name];
}
