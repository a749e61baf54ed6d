// File streams, on the descriptors of fs.
const { Readable, Writable } = require('stream');
const fs = require('fs');
const options = (given) => (typeof given === 'string' ? { encoding: given } : given ?? {});

function open(stream, done) {
  if (stream.fd !== null) return done();
  fs.open(stream.path, stream.flags, stream.mode, (error, fd) => {
    if (error) return done(error);
    stream.fd = fd;
    done();
    stream.emit('open', fd);
    stream.emit('ready');
  });
}

function close(stream, error, done) {
  const { fd } = stream;
  stream.fd = null;
  if (fd === null) return done(error);
  fs.close(fd, (failed) => done(error ?? failed));
}

class ReadStream extends Readable {
  constructor(path, given) {
    const { flags = 'r', mode = 0o666, fd = null, start = 0, end = Infinity, autoClose = true, highWaterMark = 64 * 1024, encoding, signal } = options(given);
    super({ highWaterMark, encoding, autoDestroy: autoClose, signal });
    Object.assign(this, { path, flags, mode, start, end, autoClose, bytesRead: 0, fd: typeof fd === 'object' && fd !== null ? fd.fd : fd });
    this.position = options(given).start === undefined ? undefined : start;
  }
  get pending() { return this.fd === null; }
  _construct(done) {
    open(this, done);
  }
  _read(size) {
    const left = this.end === Infinity ? size : this.end - (this.start + this.bytesRead) + 1;
    if (left <= 0) return void this.push(null);
    const buffer = Buffer.allocUnsafe(Math.min(size, left));
    fs.read(this.fd, buffer, 0, buffer.length, this.position, (error, count) => {
      if (error) return this.destroy(error);
      if (this.position !== undefined) this.position += count;
      this.bytesRead += count;
      this.push(count === 0 ? null : buffer.subarray(0, count));
    });
  }
  _destroy(error, done) {
    close(this, error, done);
  }
  close(done) {
    if (done) this.once('close', () => done());
    this.destroy();
  }
}

class WriteStream extends Writable {
  constructor(path, given) {
    const { flags = 'w', mode = 0o666, fd = null, start, autoClose = true, encoding, highWaterMark, signal } = options(given);
    super({ highWaterMark, decodeStrings: true, defaultEncoding: encoding ?? 'utf8', autoDestroy: autoClose, signal });
    Object.assign(this, { path, flags: start === undefined ? flags : flags === 'w' ? 'r+' : flags, mode, pos: start, autoClose, bytesWritten: 0, fd: typeof fd === 'object' && fd !== null ? fd.fd : fd });
  }
  get pending() { return this.fd === null; }
  _construct(done) {
    open(this, done);
  }
  _write(chunk, encoding, done) {
    fs.write(this.fd, chunk, 0, chunk.length, this.pos, (error, count) => {
      if (error) return done(error);
      this.bytesWritten += count;
      if (this.pos !== undefined) this.pos += count;
      done();
    });
  }
  _destroy(error, done) {
    close(this, error, done);
  }
  close(done) {
    if (done) this.once('close', () => done());
    this.end();
  }
}
Object.assign(exports, { ReadStream, WriteStream });
