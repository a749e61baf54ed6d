// http2: its names, so that packages load that could speak it. Speaking it is an error that says so.
const { coded } = require('internal/errors');
const missing = (name) => () => {
  throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `http2.${name} is not available here: use http or https`);
};
class Http2ServerRequest {}
class Http2ServerResponse {}
const constants = {
  NGHTTP2_NO_ERROR: 0, NGHTTP2_CANCEL: 8, HTTP2_HEADER_STATUS: ':status', HTTP2_HEADER_METHOD: ':method', HTTP2_HEADER_AUTHORITY: ':authority', HTTP2_HEADER_SCHEME: ':scheme',
  HTTP2_HEADER_PATH: ':path', HTTP2_METHOD_GET: 'GET', HTTP2_METHOD_POST: 'POST', HTTP_STATUS_OK: 200,
};
for (const name of ['accept', 'accept-encoding', 'authorization', 'content-encoding', 'content-length', 'content-type', 'cookie', 'host', 'location', 'set-cookie', 'user-agent', 'connection', 'upgrade', 'te', 'transfer-encoding', 'proxy-connection', 'http2-settings', 'keep-alive']) {
  constants[`HTTP2_HEADER_${name.toUpperCase().replace(/-/g, '_')}`] = name;
}
Object.assign(exports, {
  constants, Http2ServerRequest, Http2ServerResponse, sensitiveHeaders: Symbol('nodejs.http2.sensitiveHeaders'),
  getDefaultSettings: () => ({}), connect: missing('connect'), createServer: missing('createServer'), createSecureServer: missing('createSecureServer'),
});
