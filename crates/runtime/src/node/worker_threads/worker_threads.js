// worker_threads: can be asked for, since many packages only ask whether they are the main thread.
// Threads cannot be had: a worker is one thread, and a tool that needs more runs in Node.
const { coded } = require('internal/errors');
const { BroadcastChannel, MessageChannel, MessagePort } = require('internal/message_channel');
const refuse = (what) => {
  throw coded(Error, 'ERR_WORKER_UNSUPPORTED_OPERATION', `${what} is not supported in workers; sandboxType: 'node' in getRuntimeConfig() runs the tool in Node`);
};
class Worker {
  constructor() { refuse('new Worker()'); }
}
Object.assign(exports, {
  isMainThread: true, isInternalThread: false, parentPort: null, workerData: null, threadId: 0, resourceLimits: {}, SHARE_ENV: Symbol.for('nodejs.worker_threads.SHARE_ENV'),
  Worker, MessageChannel, MessagePort, BroadcastChannel,
  markAsUntransferable() {}, isMarkedAsUntransferable: () => false, moveMessagePortToContext: () => refuse('moveMessagePortToContext()'), receiveMessageOnPort: () => undefined,
  getEnvironmentData: () => undefined, setEnvironmentData() {},
});
