// tty: nothing here is a terminal.
const unsupported = (name) => class { constructor() { throw Object.assign(new Error(`tty.${name}: there is no terminal`), { code: 'ERR_INVALID_FD' }); } };
Object.assign(exports, { isatty: () => false, ReadStream: unsupported('ReadStream'), WriteStream: unsupported('WriteStream') });
