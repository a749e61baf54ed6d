// module: createRequire and the list of built-in modules.
const { fileURLToPath } = require('url');

exports.createRequire = (base) => {
  const path = base instanceof Object || String(base).startsWith('file:') ? fileURLToPath(base) : String(base);
  return internal.createRequire(path);
};
exports.isBuiltin = (name) => {
  try {
    internal.require(String(name));
    return true;
  } catch {
    return false;
  }
};
