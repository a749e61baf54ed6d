// querystring: the old form of query strings.
const { Buffer } = require('buffer');

function escape(value) {
  let text = typeof value === 'string' ? value : typeof value === 'object' ? String(value) : `${value}`;
  // As in Node, half of a pair takes whatever follows as its other half.
  if (!text.isWellFormed()) text = text.replace(/([\ud800-\udfff])([^])/g, (all, high, low) => String.fromCodePoint(0x10000 + (((high.charCodeAt() & 0x3ff) << 10) | (low.charCodeAt() & 0x3ff))));
  try {
    return encodeURIComponent(text);
  } catch {
    throw Object.assign(new URIError('URI malformed'), { code: 'ERR_INVALID_URI' });
  }
}

// Never throws: what is no escape stays.
function unescapeBuffer(text, plus) {
  const out = [];
  // As in Node: one byte a unit, so that only escapes can make other characters.
  const source = Buffer.from(text, 'latin1');
  for (let at = 0; at < source.length; at++) {
    const digits = source[at] === 37 ? source.latin1Slice(at + 1, at + 3) : '';
    if (/^[0-9a-f]{2}$/i.test(digits)) {
      out.push(parseInt(digits, 16));
      at += 2;
    } else {
      out.push(plus && source[at] === 43 ? 32 : source[at]);
    }
  }
  return Buffer.from(out);
}
function unescape(text, plus) {
  try {
    return decodeURIComponent(text);
  } catch {
    return unescapeBuffer(text, plus).toString();
  }
}

const plain = (value) => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return `${value}`;
  if (typeof value === 'bigint') return `${value}`;
  return typeof value === 'boolean' ? (value ? 'true' : 'false') : '';
};

function stringify(object, separator = '&', equals = '=', options = undefined) {
  if (object === null || typeof object !== 'object') return '';
  const encode = options?.encodeURIComponent ?? exports.escape;
  const sep = separator || '&';
  const eq = equals || '=';
  return Object.keys(object)
    .flatMap((key) => {
      const name = encode(plain(key));
      return Array.isArray(object[key]) ? object[key].map((value) => `${name}${eq}${encode(plain(value))}`) : [`${name}${eq}${encode(plain(object[key]))}`];
    })
    .join(sep);
}

function parse(text, separator, equals, options) {
  const result = { __proto__: null };
  if (typeof text !== 'string' || text === '') return result;
  const sep = separator ? String(separator) : '&';
  const eq = equals ? String(equals) : '=';
  const decode = typeof options?.decodeURIComponent === 'function' ? options.decodeURIComponent : exports.unescape;
  const most = typeof options?.maxKeys === 'number' ? options.maxKeys : 1000;
  const own = decode !== unescape;
  const read = (part) => {
    const spaced = part.replaceAll('+', own ? '%20' : ' ');
    if (part === '' || (!own && !/%[0-9a-f]{2}/i.test(spaced))) return spaced;
    try {
      return decode(spaced);
    } catch {
      return unescape(spaced, true);
    }
  };
  let count = 0;
  for (const part of text.split(sep)) {
    if (most > 0 && count >= most) break;
    count++;
    if (part === '') continue;
    const at = part.indexOf(eq);
    const key = read(at < 0 ? part : part.slice(0, at));
    const value = at < 0 ? '' : read(part.slice(at + eq.length));
    if (!(key in result)) result[key] = value;
    else if (Array.isArray(result[key])) result[key].push(value);
    else result[key] = [result[key], value];
  }
  return result;
}

Object.assign(exports, { escape, unescape, unescapeBuffer, stringify, encode: stringify, parse, decode: parse });
