// wasi: WebAssembly programs with files and a clock of their own are not run.
const { coded } = require('internal/errors');
exports.WASI = class WASI {
  constructor() {
    throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', "WASI is not supported in workers; sandboxType: 'node' in getRuntimeConfig() runs the tool in Node");
  }
};
