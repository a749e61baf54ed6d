// worker_threads: can be asked for, since many packages only ask whether they are the main thread.
// Threads cannot be had: a worker is one thread, and a tool that needs more runs in Node.
const { coded } = require('internal/errors');
const refuse = (what) => {
  throw coded(Error, 'ERR_WORKER_UNSUPPORTED_OPERATION', `${what} is not supported in workers; sandboxType: 'node' in getRuntimeConfig() runs the tool in Node`);
};
const { BroadcastChannel, MessageChannel, MessagePort, receiveMessageOnPort } = require('internal/message_channel');
const { kept, structuredClone, unmoved } = require('internal/clone');
const EventEmitter = require('events');

class Worker extends EventEmitter {
  constructor() {
    super();
    refuse('new Worker()');
  }
}
const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
const environment = new Map();
Object.assign(exports, {
  isMainThread: true, isInternalThread: false, parentPort: null, workerData: null, threadId: 0, threadName: '', resourceLimits: {}, SHARE_ENV: Symbol.for('nodejs.worker_threads.SHARE_ENV'),
  Worker, MessageChannel, MessagePort, BroadcastChannel, receiveMessageOnPort,
  moveMessagePortToContext: () => refuse('moveMessagePortToContext()'),
  async postMessageToThread(threadId) {
    if (threadId === 0) throw coded(Error, 'ERR_WORKER_MESSAGING_SAME_THREAD', 'Cannot sent a message to the same thread');
    throw coded(Error, 'ERR_WORKER_MESSAGING_FAILED', 'Cannot find the destination thread or listener');
  },
  markAsUncloneable: (object) => void (isObject(object) && !ArrayBuffer.isView(object) && !(object instanceof ArrayBuffer) && kept.add(object)),
  markAsUntransferable: (object) => void (isObject(object) && unmoved.add(object)),
  isMarkedAsUntransferable: (object) => isObject(object) && unmoved.has(object),
  getEnvironmentData: (key) => environment.get(key),
  setEnvironmentData: (key, value) => void (value === undefined ? environment.delete(key) : environment.set(key, structuredClone(value))),
});
