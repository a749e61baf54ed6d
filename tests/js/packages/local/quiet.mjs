// Imported first by scripts whose package warns when it is loaded that there is no native canvas: it has
// one in Node. Nothing that they print depends on it.
console.warn = () => {};
