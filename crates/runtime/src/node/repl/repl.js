// repl: there is nobody to talk to.
const { coded } = require('internal/errors');
const { Interface } = require('readline');
const refuse = () => {
  throw coded(Error, 'ERR_WORKER_UNSUPPORTED_OPERATION', 'repl.start() is not supported in workers: they have no terminal');
};
class REPLServer extends Interface {
  constructor() {
    refuse();
    super();
  }
}
class Recoverable extends SyntaxError {
  constructor(error) {
    super();
    this.err = error;
  }
}
const { inspect } = require('util');
Object.assign(exports, {
  start: refuse, REPLServer, Recoverable, REPL_MODE_SLOPPY: Symbol('repl-sloppy'), REPL_MODE_STRICT: Symbol('repl-strict'), builtinModules: require('module').builtinModules,
  writer: Object.assign((value) => inspect(value, exports.writer.options), { options: { ...inspect.defaultOptions, showProxy: true } }),
  isValidSyntax(text) {
    try {
      return void new Function(text) ?? true;
    } catch {
      return false;
    }
  },
});
