// What CLDR says, by section, locale and key. The pack is made by vendor/intl/build.mjs, which also
// says how it is laid out; pieces are unpacked when they are first asked for and then kept.
const index = JSON.parse(native.index());
const tables = new Map();
const pieces = new Map();
const readers = new Map();
const supplementals = new Map();

// Who goes through all languages must not keep them all: the oldest is forgotten and read again if need be.
function keep(map, key, value, most) {
  if (map.size >= most) map.delete(map.keys().next().value);
  map.set(key, value);
  return value;
}

/** What does not belong to one locale. */
function supplemental(name) {
  if (!supplementals.has(name)) supplementals.set(name, JSON.parse(native.piece(...index.supplemental[name])));
  return supplementals.get(name);
}

function table(section) {
  if (!tables.has(section)) {
    const [keys, places] = native.piece(...index.sections[section]).split('\n\n');
    tables.set(section, {
      keys: keys.split('\n'),
      at: new Map(keys.split('\n').map((key, n) => [key, n])),
      places: new Map(places.split('\n').map((line) => {
        const [locale, offset, length] = line.split(' ');
        return [locale, [Number(offset), Number(length)]];
      })),
    });
  }
  return tables.get(section);
}

function piece(section, locale) {
  const name = `${section} ${locale}`;
  if (!pieces.has(name)) {
    const place = table(section).places.get(locale);
    return keep(pieces, name, place ? native.piece(...place).split('\n') : [], 200);
  }
  return pieces.get(name);
}

function parentOf(locale) {
  const { parents } = supplemental('locales');
  if (parents[locale]) return parents[locale];
  const cut = locale.lastIndexOf('-');
  return cut < 0 ? 'und' : locale.slice(0, cut);
}

/** A function from a key to its text in a locale that has data, or undefined. */
function reader(section, locale) {
  const name = `${section} ${locale}`;
  if (!readers.has(name)) {
    const chain = [];
    for (let at = locale; at !== 'und'; at = parentOf(at)) chain.push(piece(section, at));
    chain.push(piece(section, 'und'));
    const { at } = table(section);
    const read = (key) => {
      const n = at.get(key);
      if (n === undefined) return undefined;
      for (const values of chain) {
        const value = values[n];
        if (value) return value > '\u0001' ? value : value === '\0' ? '' : undefined;
      }
      return undefined;
    };
    /** How far up a key's value stands. */
    read.depth = (key) => chain.findIndex((values) => values[at.get(key)]);
    read.keys = () => table(section).keys;
    keep(readers, name, read, 200);
    return read;
  }
  return readers.get(name);
}

module.exports = { keep, supplemental, reader, parentOf };
