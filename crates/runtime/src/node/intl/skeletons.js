// From the fields that are wanted to a pattern: CLDR's available formats, with the distances and the
// repairs that ICU has for what is not among them.
const { keep, reader, supplemental } = require('internal/intl/data');

// Order is that of ICU; a field's place in this list is its bit.
const FIELDS = ['Era', 'Year', 'Quarter', 'Month', 'Week', 'WeekOfMonth', 'Day-Of-Week', 'DayOfYear', 'DayOfWeekInMonth', 'Day', 'DayPeriod', 'Hour', 'Minute', 'Second', 'FractionalSecond', 'Timezone'];
const [YEAR, MONTH, WEEKDAY, PERIOD, HOUR, MINUTE, SECOND, FRACTION] = [1, 3, 6, 10, 11, 12, 13, 14];
const DATE_MASK = (1 << PERIOD) - 1;
const NUMERIC = 0x100;
const [NARROW, SHORTER, SHORT, LONG] = [-0x101, -0x102, -0x103, -0x104];
const STEP = 0x10;
const text = (field, step) => [[1, field, SHORT - step * STEP], [4, field, LONG - step * STEP], [5, field, NARROW - step * STEP]];
const TYPES = {
  G: text(0, 0), y: [[1, YEAR, NUMERIC]], Y: [[1, YEAR, NUMERIC + STEP]], u: [[1, YEAR, NUMERIC + 2 * STEP]],
  Q: [[1, 2, NUMERIC], [3, 2, SHORT], [4, 2, LONG], [5, 2, NARROW]], q: [[1, 2, NUMERIC + STEP], [3, 2, SHORT - STEP], [4, 2, LONG - STEP], [5, 2, NARROW - STEP]],
  M: [[1, MONTH, NUMERIC], [3, MONTH, SHORT], [4, MONTH, LONG], [5, MONTH, NARROW]],
  L: [[1, MONTH, NUMERIC + STEP], [3, MONTH, SHORT - STEP], [4, MONTH, LONG - STEP], [5, MONTH, NARROW - STEP]],
  w: [[1, 4, NUMERIC]], W: [[1, 5, NUMERIC]],
  E: [...text(WEEKDAY, 0), [6, WEEKDAY, SHORTER]],
  c: [[1, WEEKDAY, NUMERIC + 2 * STEP], [3, WEEKDAY, SHORT - 2 * STEP], [4, WEEKDAY, LONG - 2 * STEP], [5, WEEKDAY, NARROW - 2 * STEP], [6, WEEKDAY, SHORTER - 2 * STEP]],
  e: [[1, WEEKDAY, NUMERIC + STEP], [3, WEEKDAY, SHORT - STEP], [4, WEEKDAY, LONG - STEP], [5, WEEKDAY, NARROW - STEP], [6, WEEKDAY, SHORTER - STEP]],
  d: [[1, 9, NUMERIC]], D: [[1, 7, NUMERIC]], F: [[1, 8, NUMERIC]],
  a: text(PERIOD, 0), b: text(PERIOD, 1), B: text(PERIOD, 3),
  H: [[1, HOUR, NUMERIC + 10 * STEP]], k: [[1, HOUR, NUMERIC + 11 * STEP]], h: [[1, HOUR, NUMERIC]], K: [[1, HOUR, NUMERIC + STEP]],
  m: [[1, MINUTE, NUMERIC]], s: [[1, SECOND, NUMERIC]], S: [[1, FRACTION, NUMERIC]],
  v: [[1, 15, SHORT - 2 * STEP], [4, 15, LONG - 2 * STEP]], z: [[1, 15, SHORT], [4, 15, LONG]], O: [[1, 15, SHORT - STEP], [4, 15, LONG - STEP]],
  Z: [[1, 15, NARROW - STEP], [4, 15, LONG - STEP], [5, 15, SHORT - STEP]],
};

/** A pattern as `[letter or '', text]`: fields, and literals without their quotes. */
const split = new Map();
function items(pattern) {
  if (split.has(pattern)) return split.get(pattern);
  const list = [];
  const literal = (part) => {
    if (list.at(-1)?.[0] === '') list[list.length - 1] = ['', list.at(-1)[1] + part];
    else list.push(['', part]);
  };
  for (let n = 0; n < pattern.length;) {
    const letter = pattern[n];
    if (letter === "'") {
      if (pattern[n + 1] === "'") {
        literal("'");
        n += 2;
        continue;
      }
      let part = '';
      for (n++; n < pattern.length; n++) {
        if (pattern[n] !== "'") part += pattern[n];
        else if (pattern[n + 1] === "'") {
          part += "'";
          n++;
        } else break;
      }
      n++;
      literal(part);
    } else if (/[a-zA-Z]/.test(letter)) {
      let end = n;
      while (pattern[end] === letter) end++;
      list.push([letter, pattern.slice(n, end)]);
      n = end;
    } else {
      literal(letter);
      n++;
    }
  }
  return keep(split, pattern, list, 2000);
}
const quoted = (part) => (/[a-zA-Z']/.test(part) ? `'${part.replaceAll("'", "''")}'` : part);
const joined = (list) => list.map(([letter, part]) => (letter ? part : quoted(part))).join('');

/** The type of each field of a pattern or skeleton: `{types, letters, lengths, mask, first}`. */
function shape(pattern) {
  const result = { types: new Array(16).fill(0), letters: [], lengths: [], mask: 0, base: '' };
  const put = (letter, length) => {
    const row = TYPES[letter]?.findLast(([least]) => least <= length);
    if (!row) return;
    const [least, field, type] = row;
    result.types[field] = type > 0 ? type + length : type;
    result.letters[field] = letter;
    result.lengths[field] = length;
    result.mask |= 1 << field;
    result.bases ??= [];
    result.bases[field] = letter.repeat(Math.min(3, least));
  };
  for (const [letter, part] of items(pattern)) if (letter) put(letter, part.length);
  if (result.mask & (1 << MINUTE) && result.mask & (1 << FRACTION) && !(result.mask & (1 << SECOND))) put('s', 1);
  if (result.mask & (1 << HOUR)) {
    if ('hK'.includes(result.letters[HOUR])) {
      if (!(result.mask & (1 << PERIOD))) put('a', 1);
    } else if (result.mask & (1 << PERIOD)) {
      result.types[PERIOD] = 0;
      result.mask &= ~(1 << PERIOD);
      delete result.bases[PERIOD];
    }
  }
  result.base = Object.values(result.bases ?? {}).join('');
  result.key = result.types.join();
  return result;
}

const generators = new Map();
const STYLES = ['full', 'long', 'medium', 'short'];

/** Every pattern of a locale by its shape, as ICU collects them. */
function generator(data) {
  if (generators.has(data)) return generators.get(data);
  const read = reader('dates', data);
  const all = new Map();
  const bases = new Map();
  const add = (pattern, skeleton) => {
    const form = shape(skeleton ?? pattern);
    const same = bases.get(form.base);
    if (skeleton === undefined && same !== undefined) return;
    const before = all.get(form.key);
    if (before && (skeleton === undefined || before.specified)) return;
    all.set(form.key, { form, pattern, specified: skeleton !== undefined });
    bases.set(form.base, true);
  };
  for (const letter of 'GyQMwWEDFdaHmsSv') add(letter);
  for (const style of STYLES) {
    add(read(`dateFormats/${style}`));
    add(read(`timeFormats/${style}`));
  }
  // A locale's own come before those of its parents.
  const formats = read.keys().filter((key) => /^dateTimeFormats\/availableFormats\/[A-Za-z]+$/.test(key) && read(key));
  for (const key of formats.sort((a, b) => read.depth(a) - read.depth(b))) add(read(key), key.slice(key.lastIndexOf('/') + 1));
  const place = ({ form }) => form.base.charCodeAt(0) - (form.base[0] >= 'a' ? 0 : 100);
  const list = [...all.values()].sort((a, b) => place(a) - place(b));
  const made = { read, list, data };
  return keep(generators, data, made, 50);
}

function nearest(list, wanted, mask) {
  let best;
  for (const candidate of list) {
    let [distance, missing, extra] = [0, 0, 0];
    for (let field = 0; field < 16; field++) {
      const mine = mask & (1 << field) ? wanted.types[field] : 0;
      const other = candidate.form.types[field];
      if (mine === other) continue;
      if (mine === 0) {
        distance += 0x10000;
        extra |= 1 << field;
      } else if (other === 0) {
        distance += 0x1000;
        missing |= 1 << field;
      } else distance += Math.abs(mine - other);
    }
    if (!best || distance < best.distance || (distance === best.distance && best.missing < missing)) best = { distance, missing, extra, candidate };
    if (distance === 0) break;
  }
  return best;
}

/** The letters and lengths that were asked for, in the pattern that was found. */
function adjusted({ pattern, form, specified }, wanted, { fraction = false, hour = true, decimal = '.' } = {}) {
  return joined(items(pattern).map(([letter, part]) => {
    const row = letter && TYPES[letter]?.findLast(([least]) => least <= part.length);
    if (!row) return [letter, part];
    const [, field, type] = row;
    if (fraction && field === SECOND) return [letter, `${part}${quoted(decimal)}${'S'.repeat(wanted.lengths[FRACTION])}`];
    if (wanted.types[field] === 0) return [letter, part];
    const asked = wanted.letters[field];
    let length = wanted.lengths[field];
    if (asked === 'E' && length < 3) length = 3;
    let size = length;
    if ((field === HOUR && !hour) || field === MINUTE || field === SECOND) size = part.length;
    else if (specified && asked !== 'c' && asked !== 'e') {
      const numeric = wanted.types[field] > 0;
      if (form.lengths[field] === length || (type > 0) !== numeric) size = part.length;
    }
    let used = field !== HOUR && field !== MONTH && field !== WEEKDAY && (field !== YEAR || asked === 'Y') ? asked : letter;
    if (used === 'E' && size < 3) used = 'e';
    return [used, used.repeat(size)];
  }));
}

function appended(made, wanted, mask, options) {
  if (mask === 0) return '';
  let { candidate, missing } = nearest(made.list, wanted, mask);
  let result = adjusted(candidate, wanted, options);
  let last = 0;
  while (missing !== 0 && missing !== last) {
    const both = (1 << SECOND) | (1 << FRACTION);
    if ((missing & both) === 1 << FRACTION && (mask & both) === both) {
      result = adjusted({ ...candidate, pattern: result }, wanted, { ...options, fraction: true });
      missing &= ~(1 << FRACTION);
      continue;
    }
    last = missing;
    const start = missing;
    const next = nearest(made.list, wanted, missing);
    ({ missing } = next);
    const more = adjusted(next.candidate, wanted, options);
    const found = start & ~missing;
    if (found === 0) break;
    const top = FIELDS[31 - Math.clz32(found)];
    const format = made.read(`dateTimeFormats/appendItems/${top}`) ?? '{0} ├{2}: {1}┤';
    const names = { Era: 'era', Year: 'year', Month: 'month', 'Day-Of-Week': 'weekday', Day: 'day', DayPeriod: 'dayperiod', Hour: 'hour', Minute: 'minute', Second: 'second', Timezone: 'zone' };
    const name = reader('fields', made.data)(`${names[top]}/displayName`) ?? top;
    result = format.replace('{0}', () => result).replace('{1}', () => more).replace('{2}', () => quoted(name));
  }
  return result;
}

/** How a date and a time stand together. */
function glue(read, style, date, time, at = true) {
  const pattern = (at && read(`dateTimeFormats-atTime/standard/${style}`)) || read(`dateTimeFormats/${style}`) || '{1} {0}';
  return pattern.replace('{1}', () => date).replace('{0}', () => time);
}

function best(data, skeleton, options = {}) {
  const made = generator(data);
  const wanted = shape(skeleton);
  const { candidate, missing, extra } = nearest(made.list, wanted, -1);
  if (missing === 0 && extra === 0) return adjusted(candidate, wanted, options);
  const date = appended(made, wanted, wanted.mask & DATE_MASK, options);
  const time = appended(made, wanted, wanted.mask & ~DATE_MASK, options);
  if (!date || !time) return date || time;
  const month = wanted.letters[MONTH] && wanted.lengths[MONTH];
  const style = month === 4 ? (wanted.types[WEEKDAY] ? 'full' : 'long') : month === 3 ? 'medium' : 'short';
  return glue(made.read, style, date, time);
}

/** The hour that is usual in a country: h, H, K or k. */
function usualHour(language, region) {
  const hours = supplemental('hours');
  return (hours[`${language}_${region}`] ?? hours[`${language}-${region}`] ?? hours[region] ?? hours['001'])[0];
}

/** The fields of a pattern as a skeleton, without a period that its hour brings. */
const skeletonOf = (pattern) => items(pattern).filter(([letter]) => letter && !(letter === 'a')).map(([, part]) => part).join('');

module.exports = { best, glue, items, joined, quoted, shape, skeletonOf, usualHour };
