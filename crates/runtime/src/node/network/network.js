// A connection as bytes and promises. Not a module of Node's: `net` and `tls` are made of it.
class Connection {
  #id;
  constructor({ id, address, port, localAddress, localPort }) {
    this.#id = id;
    Object.assign(this, { address, port, localAddress, localPort });
  }
  /** The next bytes, or null at the end. */
  read() {
    return native.read(this.#id);
  }
  /** Kept when all bytes are on their way. One at a time. */
  write(bytes) {
    return native.write(this.#id, bytes);
  }
  /** Nothing more will be written. */
  end() {
    native.end(this.#id);
  }
  close(reset = false) {
    native.close(this.#id, reset);
  }
  /** Whether waiting for it keeps a run open. */
  hold(held) {
    native.hold(this.#id, held);
  }
  noDelay(on) {
    native.noDelay(this.#id, on);
  }
  keepAlive(seconds) {
    native.keepAlive(this.#id, seconds);
  }
}

class Listener {
  #id;
  constructor({ id, address, port }) {
    this.#id = id;
    Object.assign(this, { address, port });
  }
  async accept() {
    return new Connection(await native.accept(this.#id));
  }
  close() {
    native.close(this.#id, false);
  }
  hold(held) {
    native.hold(this.#id, held);
  }
}

module.exports = {
  async connect(host, port) {
    return new Connection(await native.connect(String(host), Number(port)));
  },
  /** Addresses of a name, those that may be reached. */
  resolve: (host) => native.resolve(String(host)),
  /** One end of a stream of a program, by its number. */
  stream: (id) => new Connection({ id }),
  /** On this machine only. */
  async listen(host, port) {
    return new Listener(await native.listen(String(host), Number(port)));
  },
};
