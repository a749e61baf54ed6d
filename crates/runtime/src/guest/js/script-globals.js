// A script is not a Node program: no process, no Buffer, no immediates; and it has no network.
for (const name of ['process', 'Buffer', 'global', 'setImmediate', 'clearImmediate', 'fetch', 'Headers', 'Request', 'Response', 'FormData', 'WebSocket', 'MessageChannel', 'MessagePort', 'BroadcastChannel', 'MessageEvent', 'CloseEvent', 'EventSource',
  'ReadableStream', 'ReadableStreamDefaultReader', 'ReadableStreamBYOBReader', 'ReadableStreamBYOBRequest', 'ReadableByteStreamController', 'ReadableStreamDefaultController', 'WritableStream',
  'WritableStreamDefaultWriter', 'WritableStreamDefaultController', 'TransformStream', 'TransformStreamDefaultController', 'ByteLengthQueuingStrategy', 'CountQueuingStrategy', 'TextEncoderStream',
  'TextDecoderStream', 'CompressionStream', 'DecompressionStream']) {
  delete globalThis[name];
}
// Whatever is made when it is first touched is made now: while a script runs, nothing of the
// module registry does, so that changed built-ins and stack traces show none of it.
for (const name of Object.getOwnPropertyNames(globalThis)) void globalThis[name];
