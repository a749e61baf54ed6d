// http: HTTP/1.1 both ways. Redirects and compression are the caller's, as in Node.
const common = require('internal/http_common');
const { Agent, globalAgent } = require('internal/http_agent');
const { ClientRequest } = require('internal/http_client');
const { Server, ServerResponse } = require('internal/http_server');

let agent = globalAgent;
function request(url, options, listener) {
  return new ClientRequest(...withDefault([url, options, listener], agent));
}
/** The agent that the module has now, where the caller names none. */
function withDefault([url, options, listener], _defaultAgent) {
  if (typeof url === 'string' || url instanceof URL || (url?.searchParams && url.href)) {
    const [given, heard] = typeof options === 'function' ? [{}, options] : [options, listener];
    return [url, { _defaultAgent, ...given }, heard];
  }
  return [{ _defaultAgent, ...url }, typeof options === 'function' ? options : listener];
}
Object.assign(exports, {
  Agent, ClientRequest, IncomingMessage: common.IncomingMessage, METHODS: common.METHODS, OutgoingMessage: common.OutgoingMessage,
  STATUS_CODES: common.STATUS_CODES, Server, ServerResponse, maxHeaderSize: common.maxHeaderSize, request,
  createServer: (options, listener) => new Server(options, listener),
  get(url, options, listener) {
    const made = request(url, options, listener);
    made.end();
    return made;
  },
  validateHeaderName: common.validateHeaderName, validateHeaderValue: common.validateHeaderValue, setMaxIdleHTTPParsers() {}, _connectionListener(socket) { this.emit('connection', socket); },
});
for (const name of ['WebSocket', 'MessageEvent', 'CloseEvent']) Object.defineProperty(exports, name, { enumerable: true, configurable: true, get: () => require('internal/websocket')[name] });
Object.defineProperty(exports, 'globalAgent', { enumerable: true, configurable: true, get: () => agent, set: (value) => { agent = value; } });
internal.withDefaultAgent = withDefault;
