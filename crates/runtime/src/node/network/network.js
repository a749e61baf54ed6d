// A connection as bytes and promises. Not a module of Node's: `net` and `tls` are made of it.
class Connection {
  #id;
  constructor({ id, address, port }) {
    this.#id = id;
    this.address = address;
    this.port = port;
  }
  /** The next bytes, or null at the end. */
  read() {
    return native.read(this.#id);
  }
  write(bytes) {
    return native.write(this.#id, bytes);
  }
  /** Nothing more will be written. */
  end() {
    native.end(this.#id);
  }
  close() {
    native.close(this.#id);
  }
}

module.exports = {
  async connect(host, port) {
    return new Connection(await native.connect(String(host), Number(port)));
  },
};
