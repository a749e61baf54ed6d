// What console.table draws.
const util = require('util');
const { invalidArgType } = require('internal/errors');

// Cells are as wide as they look; wide letters of East Asia take two places.
const WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]|[\u{20000}-\u{3fffd}]/u;
const widthOf = (text) => {
  let width = 0;
  for (const letter of util.stripVTControlCharacters(text)) width += /\p{M}|\u200d/u.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1;
  return width;
};

function draw(head, columns) {
  const rows = Math.max(0, ...columns.map((column) => column.length));
  const widths = head.map((name, at) => Math.max(widthOf(name), ...columns[at].map((cell) => widthOf(cell ?? ''))) + 2);
  const rule = (left, middle, right) => left + widths.map((width) => '─'.repeat(width)).join(middle) + right;
  const row = (cells) => `│${cells.map((cell, at) => ` ${cell ?? ''}${' '.repeat(widths[at] - 1 - widthOf(cell ?? ''))}`).join('│')}│`;
  const lines = [rule('┌', '┬', '┐'), row(head), rule('├', '┼', '┤')];
  for (let at = 0; at < rows; at++) lines.push(row(columns.map((column) => column[at])));
  return [...lines, rule('└', '┴', '┘')].join('\n');
}

/** The table as text; nothing for what is no table. */
exports.tableOf = (data, chosen, options) => {
  if (data === null || typeof data !== 'object') return undefined;
  if (chosen !== undefined && !Array.isArray(chosen)) throw invalidArgType('properties', 'Array', chosen);
  const show = (value) => {
    const depth = value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 2 ? -1 : 0;
    return util.inspect(value, { maxArrayLength: 3, breakLength: Infinity, ...options, depth });
  };
  const { types } = util;
  if (types.isMap(data)) {
    const pairs = [...data];
    return draw(['(iteration index)', 'Key', 'Values'], [pairs.map((_, at) => `${at}`), pairs.map(([key]) => show(key)), pairs.map(([, value]) => show(value))]);
  }
  if (types.isMapIterator(data) || types.isSetIterator(data) || types.isSet(data)) {
    const values = [...data];
    return draw(['(iteration index)', 'Values'], [values.map((_, at) => `${at}`), values.map(show)]);
  }
  const [names, columns, values] = [Object.keys(data), new Map(), []];
  names.forEach((name, at) => {
    const item = data[name];
    const plain = item === null || (typeof item !== 'function' && typeof item !== 'object');
    if (plain && chosen === undefined) return void (values[at] = show(item));
    for (const key of chosen ?? Object.keys(item)) {
      if (!columns.has(key)) columns.set(key, []);
      columns.get(key)[at] = !plain && Object.hasOwn(item, key) ? show(item[key]) : '';
    }
  });
  const head = ['(index)', ...columns.keys()];
  const cells = [names, ...[...columns.values()].map((column) => names.map((_, at) => column[at]))];
  if (values.length > 0) {
    head.push('Values');
    cells.push(names.map((_, at) => values[at]));
  }
  return draw(head.map(String), cells);
};
