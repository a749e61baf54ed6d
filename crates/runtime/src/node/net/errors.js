// Errors of connections as Node words them, and texts that are addresses.
const { coded, invalidArgType, received } = require('internal/errors');

const V4 = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]\\d|\\d)(?:\\.(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]\\d|\\d)){3}';
const ipv4 = new RegExp(`^${V4}$`);
const H = '[0-9a-fA-F]{1,4}';
const ipv6 = new RegExp(
  `^(?:(?:${H}:){7}(?:${H}|:)|(?:${H}:){6}(?:${V4}|:${H}|:)|(?:${H}:){5}(?::${V4}|(?::${H}){1,2}|:)|(?:${H}:){4}(?:(?::${H})?:${V4}|(?::${H}){1,3}|:)|(?:${H}:){3}(?:(?::${H}){0,2}:${V4}|(?::${H}){1,4}|:)|(?:${H}:){2}(?:(?::${H}){0,3}:${V4}|(?::${H}){1,5}|:)|(?:${H}:)(?:(?::${H}){0,4}:${V4}|(?::${H}){1,6}|:)|:(?:(?::${H}){0,5}:${V4}|(?::${H}){1,7}|:))(?:%[0-9a-zA-Z-.:]{1,})?$`,
);
const isIPv4 = (text) => ipv4.test(String(text));
const isIPv6 = (text) => ipv6.test(String(text));
const isIP = (text) => (isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0);

/** A failure of the socket: `syscall ECODE address:port`. What the host refused keeps its own words. */
function failed(error, syscall, host, port) {
  const where = (address) => (port ? ` ${address}:${port}` : address ? ` ${address}` : '');
  if (error.code === 'network_resolve_failed') return unresolved(host);
  if (error.code === 'network_timeout') Object.assign(error, { code: 'ETIMEDOUT', errno: -110 });
  if (/^E[A-Z]+$/.test(error.code)) {
    const at = error.address ?? host;
    const reason = syscall === 'listen' ? `: ${error.message.split(', ')[0].split(': ')[1] ?? ''}` : '';
    error.message = `${syscall} ${error.code}${reason}${at ? where(at) : ''}`;
    if (at) error.address = at;
  }
  error.syscall = syscall;
  if (port) error.port = port;
  return error;
}

function unresolved(hostname) {
  const error = coded(Error, 'ENOTFOUND', `getaddrinfo ENOTFOUND ${hostname}`);
  return Object.assign(error, { errno: -3008, syscall: 'getaddrinfo', hostname });
}

function port(value, name = 'Port', allowsNone = true) {
  const number = typeof value === 'string' && value.trim() === '' ? NaN : Number(value);
  if ((typeof value !== 'number' && typeof value !== 'string') || !Number.isInteger(number) || number < (allowsNone ? 0 : 1) || number > 65535) {
    throw coded(RangeError, 'ERR_SOCKET_BAD_PORT', `${name} should be ${allowsNone ? '>=' : '>'} 0 and < 65536. ${received(value)}.`);
  }
  return number;
}

Object.assign(exports, { failed, isIP, isIPv4, isIPv6, port, unresolved, invalidArgType });
