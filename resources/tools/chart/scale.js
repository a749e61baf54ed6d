/** 数轴：整齐的刻度，刻度和数字的写法。 */
import { Fault } from './fault.js';

/** 1、2、5 乘以十的幂里，让刻度个数最接近 `wanted` 的那个间隔。 */
function stepFor(span, wanted) {
  const raw = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  const share = raw / power;
  return (share <= 1 ? 1 : share <= 2 ? 2 : share <= 2.5 ? 2.5 : share <= 5 ? 5 : 10) * power;
}

/**
 * @param {number} low
 * @param {number} high
 * @param {{wanted: number, zero: boolean}} options `zero`：从零开始，柱的长短才说明大小
 */
export function axisOf(low, high, { wanted, zero }) {
  let from = zero ? Math.min(0, low) : low;
  let to = zero ? Math.max(0, high) : high;
  if (from === to) {
    const room = from === 0 ? 1 : Math.abs(from) * 0.5;
    from = zero && from >= 0 ? 0 : from - room;
    to += room;
  }
  // 比这更密的刻度，双精度数分不开。
  const step = stepFor(Math.max(to - from, Math.max(Math.abs(from), Math.abs(to)) * 1e-14 * wanted), wanted);
  const first = Math.floor(from / step + 1e-9);
  const last = Math.ceil(to / step - 1e-9);
  if (!Number.isFinite(first) || !Number.isFinite(last) || !Number.isFinite((last - first) * step)) throw new Fault('INVALID_DATA', '数相差太大或太小，画不出来');
  const ticks = [];
  for (let i = first; i <= last; i += 1) ticks.push(Number((i * step).toPrecision(15)));
  return { low: ticks[0], high: ticks.at(-1), ticks };
}

const UNITS = {
  zh: [[1e12, '万亿'], [1e8, '亿'], [1e4, '万']],
  en: [[1e12, 'T'], [1e9, 'B'], [1e6, 'M'], [1e3, 'K']],
};

/** 一条轴上的数字用同一个单位，比起来才方便。 */
export function tickText(axis, language) {
  const largest = Math.max(Math.abs(axis.low), Math.abs(axis.high));
  const [unit, name] = UNITS[language].find(([size]) => largest >= size * (language === 'en' ? 10 : 1)) ?? [1, ''];
  const step = axis.ticks.length > 1 ? Math.abs(axis.ticks[1] - axis.ticks[0]) / unit : 1;
  let digits = 0;
  const isWhole = (number) => number > 0.5 && Math.abs(number - Math.round(number)) <= 1e-6;
  while (digits < 10 && !isWhole(step * 10 ** digits)) digits += 1;
  // 小数点后全是零的数读不出大小，也分不开。
  if (largest < 1e-6 || largest >= 1e18 || digits === 10) return exponent;
  return (value) => (value === 0 ? '0' : `${grouped((value / unit).toFixed(digits))}${name}`);
}

const exponent = (value) => (value === 0 ? '0' : Number(value.toPrecision(15)).toExponential().replace('-', value < 0 ? '−' : '-').replace('e+', 'e'));

function grouped(text) {
  const [whole, part] = text.split('.');
  const sign = whole.startsWith('-') ? '−' : '';
  const digits = whole.replace('-', '').replace(/\B(?=(\d{3})+$)/g, ',');
  return `${sign}${digits}${part === undefined ? '' : `.${part}`}`;
}

/** 图上的一个数：不超过四位有效数字。 */
export function numberText(value) {
  if (!Number.isFinite(value)) return '';
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e15 || size < 1e-4)) return value.toExponential(2);
  const digits = size >= 1000 || Number.isInteger(value) ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4;
  return grouped(String(Number(value.toFixed(digits))).includes('e') ? value.toFixed(digits) : String(Number(value.toFixed(digits))));
}
