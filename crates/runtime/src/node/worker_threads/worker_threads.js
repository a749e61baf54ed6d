// worker_threads: this is the only thread there is. To start another one is an error that says so.
const { coded } = require('internal/errors');
const { BroadcastChannel, MessageChannel, MessagePort } = require('internal/message_channel');
class Worker {
  constructor() {
    throw coded(Error, 'ERR_WORKER_UNSUPPORTED_OPERATION', "worker_threads.Worker is not available here; sandboxType: 'node' in getRuntimeConfig() runs the tool in Node");
  }
}
Object.assign(exports, {
  BroadcastChannel, MessageChannel, MessagePort, Worker, isMainThread: true, parentPort: null, workerData: null, threadId: 0, resourceLimits: {}, SHARE_ENV: Symbol.for('nodejs.worker_threads.SHARE_ENV'),
  markAsUntransferable() {}, isMarkedAsUntransferable: () => false, getEnvironmentData() {}, setEnvironmentData() {},
});
