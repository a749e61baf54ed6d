// Node's streams as the web's, and back.
const { Duplex, Readable, Writable, finished } = require('internal/readable_stream');
const { aborted } = require('internal/errors');
const web = () => require('stream/web');

const plain = (chunk) => (chunk instanceof Uint8Array && chunk.constructor !== Uint8Array ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength) : chunk);

function readableToWeb(readable, options = {}) {
  const { ReadableStream, CountQueuingStrategy, ByteLengthQueuingStrategy } = web();
  const mark = { highWaterMark: readable.readableHighWaterMark };
  const strategy = options.strategy ?? (readable.readableObjectMode ? new CountQueuingStrategy(mark) : new ByteLengthQueuingStrategy(mark));
  let over = false;
  return new ReadableStream({
    start(controller) {
      readable.pause();
      finished(readable, { writable: false }, (error) => {
        if (over) return;
        over = true;
        if (error) controller.error(error);
        else controller.close();
      });
      readable.on('data', (chunk) => {
        if (over) return;
        controller.enqueue(plain(chunk));
        if (controller.desiredSize <= 0) readable.pause();
      });
      readable.pause();
    },
    pull() { readable.resume(); },
    cancel(reason) {
      over = true;
      readable.destroy(reason instanceof Error ? reason : reason === undefined ? undefined : aborted(reason));
    },
  }, strategy);
}

function readableFromWeb(stream, options = {}) {
  const reader = stream.getReader();
  let over = false;
  const readable = new Readable({
    ...options,
    read() {
      reader.read().then(
        ({ done, value }) => {
          over = done;
          readable.push(done ? null : value);
        },
        (error) => {
          over = true;
          readable.destroy(error);
        },
      );
    },
    destroy(error, done) {
      if (over) return done(error);
      reader.cancel(error ?? undefined).then(() => done(error), () => done(error));
    },
  });
  return readable;
}

function writableToWeb(writable) {
  const { WritableStream, CountQueuingStrategy } = web();
  return new WritableStream({
    start(controller) {
      finished(writable, { readable: false }, (error) => error && controller.error(error));
    },
    write: (chunk) => new Promise((resolve, reject) => writable.write(chunk, (error) => (error ? reject(error) : resolve()))),
    close: () => new Promise((resolve, reject) => {
      writable.once('error', reject);
      writable.end(resolve);
    }),
    abort: (reason) => void writable.destroy(reason instanceof Error ? reason : aborted(reason)),
  }, new CountQueuingStrategy({ highWaterMark: 1 }));
}

function writableFromWeb(stream, options = {}) {
  const writer = stream.getWriter();
  return new Writable({
    ...options,
    write: (chunk, encoding, done) => void writer.write(chunk).then(() => done(), done),
    final: (done) => void writer.close().then(() => done(), done),
    destroy: (error, done) => void (error ? writer.abort(error) : Promise.resolve()).then(() => done(error), () => done(error)),
  });
}

Object.assign(exports, {
  install() {
    Readable.toWeb = readableToWeb;
    Readable.fromWeb = readableFromWeb;
    Writable.toWeb = writableToWeb;
    Writable.fromWeb = writableFromWeb;
    Duplex.toWeb = (duplex) => ({ readable: readableToWeb(duplex), writable: writableToWeb(duplex) });
    Duplex.fromWeb = (pair, options) => Duplex.from({ readable: readableFromWeb(pair.readable, options), writable: writableFromWeb(pair.writable, options) });
  },
});
