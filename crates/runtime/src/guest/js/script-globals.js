// A script is not a Node program: no process, no Buffer, no immediates; and it has no network.
for (const name of ['process', 'Buffer', 'global', 'setImmediate', 'clearImmediate', 'fetch', 'Headers', 'Request', 'Response', 'FormData', 'WebSocket', 'MessageChannel', 'MessagePort', 'BroadcastChannel', 'MessageEvent', 'CloseEvent', 'EventSource',
  'ReadableStream', 'ReadableStreamDefaultReader', 'ReadableStreamBYOBReader', 'ReadableStreamBYOBRequest', 'ReadableByteStreamController', 'ReadableStreamDefaultController', 'WritableStream',
  'WritableStreamDefaultWriter', 'WritableStreamDefaultController', 'TransformStream', 'TransformStreamDefaultController', 'ByteLengthQueuingStrategy', 'CountQueuingStrategy', 'TextEncoderStream',
  'TextDecoderStream', 'CompressionStream', 'DecompressionStream', 'Crypto', 'CryptoKey', 'SubtleCrypto', 'navigator', 'Navigator', 'Performance', 'PerformanceEntry', 'PerformanceMark',
  'PerformanceMeasure', 'PerformanceObserver', 'PerformanceObserverEntryList', 'PerformanceResourceTiming', 'WebAssembly']) {
  delete globalThis[name];
}
// Its clock tells the time and no more.
for (const name of Object.getOwnPropertyNames(performance)) if (name !== 'now' && name !== 'timeOrigin') delete performance[name];
// Whatever is made when it is first touched is made now: while a script runs, nothing of the
// module registry does, so that changed built-ins and stack traces show none of it.
for (const name of Object.getOwnPropertyNames(globalThis)) void globalThis[name];
