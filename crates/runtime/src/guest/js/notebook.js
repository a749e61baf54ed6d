// What the cells of a notebook have beside a script's globals: print, and what is asked for outside.
// A question is a promise; the host hears of one when nothing else is left to do, and answers it.
(() => {
  const { stringify, parse } = JSON;
  const text = String;
  const log = console.log.bind(console);
  let asked = 0;
  const fresh = [];
  const told = new Map();
  const ask = (question) =>
    new Promise((resolve, reject) => {
      asked += 1;
      fresh.push({ id: asked, text: stringify({ question: asked, ...question }), resolve, reject });
    });
  const take = (id) => {
    const question = told.get(id);
    told.delete(id);
    return question;
  };
  const define = (name, value) => {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  };
  define('print', function print(...values) {
    // No text is a pattern here.
    typeof values[0] === 'string' ? log('%s', ...values) : log(...values);
  });
  define('input', function input(hint = '', target = 'User') {
    return ask({ end: 'input', hint: text(hint), from: text(target?.name ?? target) });
  });
  define('tool', function tool(name, params = {}) {
    return ask({ end: 'tool', name: text(name), params });
  });
  return {
    // The oldest question that was not told yet, or nothing.
    next: () => {
      const question = fresh.shift();
      if (question !== undefined) told.set(question.id, question);
      return question?.text;
    },
    // A cell has ended: what it did not wait for is nobody's.
    forget: () => {
      fresh.length = 0;
    },
    answer: (id, value) => take(id)?.resolve(parse(value)),
    refuse: (id, code, message) => {
      const error = new Error(message);
      error.code = code;
      take(id)?.reject(error);
    },
    // What a cell's value is as text.
    shown: (value) => {
      if (value === undefined) return '';
      if (typeof value === 'string') return value;
      try {
        return stringify(value) ?? text(value);
      } catch {
        return text(value);
      }
    },
  };
})()
