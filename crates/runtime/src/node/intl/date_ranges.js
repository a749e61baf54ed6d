// Two dates: CLDR's interval formats by the largest field that differs, chosen and repaired as in ICU.
const { keep, reader } = require('internal/intl/data');
const skeletons = require('internal/intl/skeletons');
const { fieldsOf, written } = require('internal/intl/date_patterns');

// From the largest: the letter that stands for each in CLDR, and what tells two dates apart.
const FIELDS = [
  ['G', ({ year }) => year > 0], ['y', ({ year }) => year], ['M', ({ month }) => month], ['d', ({ day }) => day], ['a', ({ hour }) => hour >= 12], ['h', ({ hour }) => hour],
  ['m', ({ minute }) => minute], ['s', ({ second }) => second], ['S', ({ milliseconds }) => milliseconds],
];
const LEVEL = { G: 0, y: 1, M: 2, L: 2, E: 3, c: 3, e: 3, d: 3, a: 4, b: 4, B: 4, h: 5, H: 5, K: 5, k: 5, m: 6, s: 7, S: 8 };

/** The widths of a skeleton's letters. */
function widths(skeleton) {
  const found = {};
  for (const letter of skeleton) found[letter] = (found[letter] ?? 0) + 1;
  return found;
}
/** `{date, time}`, each in the form in which CLDR names interval formats. */
function normalized(skeleton) {
  const found = widths(skeleton);
  const times = (letter, most) => letter.repeat(Math.min(found[letter] ?? 0, most));
  let date = times('G', 5) + times('y', 9);
  if (found.M) date += found.M < 3 ? 'M' : times('M', 5);
  if (found.E) date += found.E <= 3 ? 'E' : times('E', 5);
  if (found.d) date += 'd';
  for (const letter of 'Lce') date += times(letter, 9);
  let time = times('B', 5);
  const hour = [...'hHKk'].find((letter) => found[letter]);
  if (hour) time += hour;
  for (const letter of 'msSzv') if (found[letter]) time += letter === 'm' || letter === 'z' || letter === 'v' ? letter : times(letter, 9);
  return { date, time };
}

const tables = new Map();
/** Each interval format's skeleton, widths and patterns by letter. */
function table(data) {
  if (!tables.has(data)) {
    const read = reader('dates', data);
    const all = new Map();
    for (const key of read.keys()) {
      const found = /^dateTimeFormats\/intervalFormats\/([A-Za-z]+)\/([A-Za-z])$/.exec(key);
      const pattern = found && read(key);
      if (!pattern) continue;
      if (!all.has(found[1])) all.set(found[1], { skeleton: found[1], widths: widths(found[1]), patterns: {} });
      all.get(found[1]).patterns[found[2]] = pattern;
    }
    return keep(tables, data, all, 50);
  }
  return tables.get(data);
}

/** The nearest interval format and how it differs: 0 not, 1 in widths, 2 in the zone, -1 in fields. */
function nearest(data, skeleton) {
  const zoned = skeleton.includes('z');
  const wanted = widths(skeleton.replaceAll('z', 'v').replace(/K/g, 'h').replace(/k/g, 'H'));
  let best;
  for (const candidate of table(data).values()) {
    let distance = 0;
    let difference = 1;
    for (const letter of new Set([...Object.keys(wanted), ...Object.keys(candidate.widths)])) {
      const [mine, other] = [wanted[letter] ?? 0, candidate.widths[letter] ?? 0];
      if (mine === other) continue;
      if (mine === 0 || other === 0) {
        difference = -1;
        distance += 0x1000;
      } else if (letter === 'M' && (mine <= 2) !== (other <= 2)) distance += 0x100;
      else distance += Math.abs(mine - other);
    }
    if (!best || distance < best.distance) best = { candidate, distance, difference: distance === 0 ? 0 : difference };
    if (distance === 0) break;
  }
  if (best && zoned && best.difference !== -1) best.difference = 2;
  return best;
}

/** The pattern with the widths that were asked for. */
function adjusted(wanted, best, pattern) {
  const [mine, theirs] = [widths(wanted), widths(best)];
  return skeletons.joined(skeletons.items(pattern).map(([letter, part]) => {
    if (!letter) return [letter, part];
    const key = letter === 'L' ? 'M' : letter === 'c' ? 'E' : letter;
    const used = letter === 'v' && mine.z ? 'z' : letter;
    const asked = mine[used === 'z' ? 'z' : key] ?? 0;
    return [used, used.repeat(theirs[key] === part.length && asked > part.length ? asked : part.length)];
  }));
}

/** Patterns by the letter of the largest difference; `{whole}` is a pattern for each end. */
function intervals(state) {
  if (state.intervals) return state.intervals;
  const { data } = state;
  const read = reader('dates', data);
  const skeleton = skeletons.skeletonOf(state.pattern);
  const { date, time } = normalized(skeleton);
  const result = {};
  const decimal = reader('numbers', data)(`symbols/${state.nu}/decimal`) ?? '.';
  const best = (wanted) => skeletons.best(data, wanted, { hour: false, decimal });
  const lookup = (name, letter) => {
    const found = table(data).get(name)?.patterns;
    return letter === 'a' ? found?.a ?? found?.B ?? found?.H ?? found?.h : letter === 'h' ? found?.h ?? found?.H : found?.[letter];
  };
  const set = (letter, wanted, found, extend) => {
    const name = found.candidate.skeleton;
    let pattern = lookup(name, letter);
    if (pattern !== undefined) {
      result[letter] = found.difference === 0 ? pattern : adjusted(wanted, name, pattern);
      return undefined;
    }
    if (ignored(name, letter) || !extend) return undefined;
    const [longer, longerBest] = [letter + wanted, letter + name];
    pattern = lookup(longerBest, letter);
    let used = longerBest;
    let { difference } = found;
    if (pattern === undefined && difference === 0) {
      const other = nearest(data, longerBest);
      if (other && other.difference !== -1) {
        pattern = lookup(other.candidate.skeleton, letter);
        used = other.candidate.skeleton;
        difference = other.difference;
      }
    }
    if (pattern === undefined) return undefined;
    result[letter] = difference === 0 ? pattern : adjusted(wanted, used, pattern);
    return [longer, { candidate: { skeleton: longerBest }, difference: found.difference }];
  };
  const found = nearest(data, time || date);
  const has = found && found.difference !== -1;
  if (!time) {
    if (has) {
      let [wanted, at] = [date, found];
      set('d', wanted, at, true);
      for (const letter of ['M', 'y', 'G']) {
        const next = set(letter, wanted, at, true);
        if (next) [wanted, at] = next;
      }
    }
  } else {
    if (has) for (const letter of ['m', 'h', 'a']) set(letter, time, found, false);
    if (!date) {
      const whole = best(`yMd${skeleton.replaceAll('O', '')}`);
      for (const letter of ['d', 'M', 'y']) result[letter] = { whole };
      if (has) result.G = { whole: best(`GyMd${skeleton.replaceAll('O', '')}`) };
    } else if (has) {
      let wanted = skeleton;
      for (const letter of ['d', 'M', 'y']) {
        if (!wanted.includes(letter)) {
          wanted = letter + wanted;
          result[letter] = { whole: best(wanted) };
        }
      }
      const datePattern = best(skeleton.replace(/[aBbhHKkmsSzvO]/g, ''));
      for (const letter of ['m', 'h', 'a']) if (result[letter]) result[letter] = skeletons.glue(read, 'medium', datePattern, result[letter], false);
    }
  }
  const hour = { h11: 'K', h12: 'h', h23: 'H', h24: 'k' }[state.hc];
  const cycled = (pattern) => (hour ? skeletons.joined(skeletons.items(pattern).map(([letter, part]) => (letter && 'hHkK'.includes(letter) ? [hour, hour.repeat(part.length)] : [letter, part]))) : pattern);
  for (const [letter, pattern] of Object.entries(result)) result[letter] = pattern.whole ? { whole: cycled(pattern.whole) } : cycled(pattern);
  const whole = cycled(best(skeleton));
  state.intervals = { result, whole, days: date && best(date), hours: time && cycled(best(time)), fallback: read('dateTimeFormats/intervalFormats/intervalFormatFallback') ?? '{0} – {1}', date, time };
  return state.intervals;
}
/** Whether a pattern has nothing as small as a field. */
function ignored(pattern, letter) {
  const level = LEVEL[letter];
  return !skeletons.items(pattern).some(([name]) => name && (LEVEL[name] ?? -1) >= level);
}

/** Where a field comes for the second time. */
function halves(pattern) {
  const items = skeletons.items(pattern);
  const seen = new Set();
  for (let n = 0; n < items.length; n++) {
    const [letter] = items[n];
    if (!letter) continue;
    const key = letter === 'L' ? 'M' : letter === 'c' ? 'E' : letter;
    if (seen.has(key)) return [skeletons.joined(items.slice(0, n)), skeletons.joined(items.slice(n))];
    seen.add(key);
  }
  return [pattern, ''];
}

/** Parts `[type, text, source]`: what comes twice belongs to the ends, and what lies between. */
function sourced(parts) {
  const spans = [[Infinity, -1], [Infinity, -1]];
  parts.forEach(([type], n) => {
    if (type === 'literal') return;
    const again = parts.findIndex(([other], at) => at > n && other === type);
    if (again < 0) return;
    for (const [span, at] of [[0, n], [1, again]]) spans[span] = [Math.min(spans[span][0], at), Math.max(spans[span][1], at)];
  });
  const within = (n, [from, to]) => n >= from && n <= to;
  return parts.map(([type, text], n) => [type, text, within(n, spans[0]) ? 'startRange' : within(n, spans[1]) ? 'endRange' : 'shared']);
}
function merged(parts) {
  const list = [];
  for (const [type, text] of parts) {
    if (type === 'literal' && list.at(-1)?.[0] === 'literal') list[list.length - 1] = ['literal', list.at(-1)[1] + text];
    else if (text) list.push([type, text]);
  }
  return list;
}

function parts(state, start, end) {
  const [from, to] = [fieldsOf(start, state.zone), fieldsOf(end, state.zone)];
  const single = () => written(state, state.pattern, from).map(([type, text]) => [type, text, 'shared']);
  const letter = FIELDS.find(([, of]) => of(from) !== of(to))?.[0];
  if (letter === undefined) return single();
  const { result, fallback, date, time, whole, days, hours } = intervals(state);
  const pattern = result[letter];
  const between = (left, right) => fallback.split(/(\{[01]\})/).flatMap((part) => (part === '{0}' ? left : part === '{1}' ? right : part ? [['literal', part]] : []));
  if (pattern === undefined) {
    if (ignored(state.pattern, letter)) return single();
    // The day is said once where only the time differs.
    if (date && time && LEVEL[letter] >= LEVEL.a) {
      const glued = skeletons.glue(reader('dates', state.data), 'medium', '{1}', '{0}', false).split(/(\{[01]\})/);
      const times = between(written(state, hours, from), written(state, hours, to));
      return sourced(merged(glued.flatMap((part) => (part === '{0}' ? times : part === '{1}' ? written(state, days, from) : part ? written(state, part, from) : []))));
    }
    return sourced(merged(between(written(state, whole, from), written(state, whole, to))));
  }
  if (pattern.whole) return sourced(merged(between(written(state, pattern.whole, from), written(state, pattern.whole, to))));
  const [left, right] = halves(pattern);
  return sourced(merged([...written(state, left, from), ...written(state, right, to)]));
}

module.exports = { parts };
