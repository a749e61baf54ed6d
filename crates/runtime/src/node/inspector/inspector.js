// inspector: nothing here can be debugged; packages ask whether something is.
const EventEmitter = require('events');
const { coded } = require('internal/errors');
const refuse = (name) => {
  throw coded(Error, 'ERR_INSPECTOR_NOT_AVAILABLE', `${name} is not available in workers; sandboxType: 'node' in getRuntimeConfig() runs the tool in Node`);
};
class Session extends EventEmitter {
  connect() { refuse('inspector.Session'); }
  connectToMainThread() { refuse('inspector.Session'); }
  disconnect() {}
  post() { throw coded(Error, 'ERR_INSPECTOR_NOT_CONNECTED', 'Session is not connected'); }
}
const nothing = (...names) => Object.fromEntries(names.map((name) => [name, () => {}]));
Object.assign(exports, {
  Session, console: require('console'),
  open: () => refuse('inspector.open()'),
  close() {},
  url: () => undefined,
  waitForDebugger: () => refuse('inspector.waitForDebugger()'),
  Network: nothing('requestWillBeSent', 'responseReceived', 'loadingFinished', 'loadingFailed', 'dataSent', 'dataReceived', 'webSocketCreated', 'webSocketClosed', 'webSocketHandshakeResponseReceived'),
  NetworkResources: nothing('put'),
});
