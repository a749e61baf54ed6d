// cluster: a worker is the one process there is. Packages ask whether they are the first.
const EventEmitter = require('events');
const { coded } = require('internal/errors');
const refuse = (name) => () => {
  throw coded(Error, 'ERR_WORKER_UNSUPPORTED_OPERATION', `cluster.${name}() is not supported in workers; sandboxType: 'node' in getRuntimeConfig() runs the tool in Node`);
};
class Worker extends EventEmitter {}
module.exports = Object.assign(new EventEmitter(), {
  isWorker: false, isMaster: true, isPrimary: true, Worker, workers: {}, settings: {}, SCHED_NONE: 1, SCHED_RR: 2, schedulingPolicy: 2,
  setupPrimary(settings) { Object.assign(this.settings, settings); },
  setupMaster(settings) { this.setupPrimary(settings); },
  fork: refuse('fork'),
  disconnect(done) { if (done) process.nextTick(done); },
});
