/** CSV：引号、换行在引号内、猜分隔符。这里有意不做的事：猜类型，编号和电话号码会因此变样。 */

const DELIMITERS = [',', '\t', ';', '|'];

/** 不为零的个数里最常见的，和它出现几次。第一行可以是标题，没有分隔符。 */
function commonest(counts) {
  const times = new Map();
  for (const count of counts) if (count > 0) times.set(count, (times.get(count) ?? 0) + 1);
  return [...times].reduce((best, one) => (one[0] * one[1] > best[0] * best[1] ? one : best), [0, 0]);
}

/** 前几行里，每行个数相同且最多的那个。 */
export function delimiterOf(text) {
  const lines = text.slice(0, 64 * 1024).split(/\r?\n/).slice(0, 20).filter((line) => line !== '');
  let best = { delimiter: ',', score: 0 };
  for (const delimiter of DELIMITERS) {
    const counts = lines.map((line) => line.replace(/"(?:[^"]|"")*"/g, '').split(delimiter).length - 1);
    const [count, same] = commonest(counts);
    const score = same * count;
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

/**
 * 一行一行给出，不把整个文件留在内存里。
 * @param {string} text
 * @param {string} delimiter
 */
export function* rowsOf(text, delimiter) {
  let at = 0;
  let row = [];
  while (at < text.length) {
    if (row.length === 0) {
      // 大多数行没有引号：整行切开，快得多。
      const end = text.indexOf('\n', at);
      const line = end < 0 ? text.slice(at) : text.slice(at, end);
      if (!line.includes('"') && !line.slice(0, -1).includes('\r')) {
        yield (line.endsWith('\r') ? line.slice(0, -1) : line).split(delimiter);
        at += line.length + 1;
        continue;
      }
    }
    let value;
    if (text[at] === '"') {
      let end = at + 1;
      for (;;) {
        end = text.indexOf('"', end);
        if (end < 0) end = text.length;
        else if (text[end + 1] === '"') {
          end += 2;
          continue;
        }
        break;
      }
      value = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
      // 引号之后还有字：照原样接上，写错的文件也读得出。
      const rest = plainEnd(text, at, delimiter);
      value += text.slice(at, rest);
      at = rest;
    } else {
      const end = plainEnd(text, at, delimiter);
      value = text.slice(at, end);
      at = end;
    }
    row.push(value);
    if (text[at] === delimiter) {
      at += 1;
      if (at >= text.length) row.push('');
      else if (text[at] !== '\n' && text[at] !== '\r') continue;
      else row.push('');
    }
    if (text[at] === '\r') at += 1;
    if (text[at] === '\n') at += 1;
    yield row;
    row = [];
  }
}

function plainEnd(text, from, delimiter) {
  let at = from;
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at += 1;
  return at;
}
