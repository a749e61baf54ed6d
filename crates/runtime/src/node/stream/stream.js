// stream: the package readable-stream is Node's own.
module.exports = require('internal/readable_stream');
require('internal/web_adapters').install();
// Newer than the package.
module.exports.duplexPair ??= function duplexPair(options) {
  const { Duplex } = module.exports;
  class Side extends Duplex {
    other = null;
    waiting = null;
    _read() {
      const done = this.waiting;
      this.waiting = null;
      done?.();
    }
    _write(chunk, encoding, done) {
      if (chunk.length === 0) return void process.nextTick(done);
      this.other.push(chunk);
      this.other.waiting = done;
    }
    _final(done) {
      this.other.on('end', done);
      this.other.push(null);
    }
  }
  const [one, other] = [new Side(options), new Side(options)];
  one.other = other;
  other.other = one;
  return [one, other];
};
