// The globals stand for the package of that name.
module.exports = globalThis;
