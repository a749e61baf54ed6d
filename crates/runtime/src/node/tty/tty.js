// tty: nothing here is a terminal. The classes are there for packages that look at what they have.
const MOVES = ['clearLine', 'clearScreenDown', 'cursorTo', 'moveCursor'];
const { coded } = require('internal/errors');
const refuse = (name) => {
  throw coded(TypeError, 'ERR_INVALID_FD', `tty.${name}: there is no terminal`);
};
class ReadStream {
  constructor() { refuse('ReadStream'); }
  setRawMode() { return this; }
}
/** How many colours a terminal of this environment would have: none is asked, only its variables. */
function getColorDepth(env = process.env) {
  if (env.FORCE_COLOR !== undefined) return { 0: 1, 1: 4, '': 4, true: 4, 2: 8, 3: 24 }[env.FORCE_COLOR] ?? 1;
  if (env.NO_COLOR || env.NODE_DISABLE_COLORS || env.TERM === 'dumb') return 1;
  if (/^(24bit|truecolor)$/.test(env.COLORTERM ?? '')) return 24;
  return /256/.test(env.TERM ?? '') ? 8 : env.TERM ? 4 : 1;
}
class WriteStream {
  constructor() { refuse('WriteStream'); }
  getColorDepth(env) { return getColorDepth(env); }
  hasColors(count, env) {
    const [wanted, given] = typeof count === 'object' ? [16, count] : [count ?? 16, env];
    return wanted <= 2 ** getColorDepth(given);
  }
  getWindowSize() { return [80, 24]; }
}
for (const name of MOVES) Object.defineProperty(WriteStream.prototype, name, { value(...given) { return require('readline')[name](this, ...given); }, writable: true, configurable: true });
WriteStream.prototype.isTTY = true;
Object.assign(exports, { isatty: () => false, ReadStream, WriteStream });
