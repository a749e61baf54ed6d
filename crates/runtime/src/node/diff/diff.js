// util.diff: what to take and what to leave, by the shortest way (Myers), from the end as Node says it.
const { invalidArgType } = require('internal/errors');
function diff(actual, expected) {
  for (const [name, value] of [['actual', actual], ['expected', expected]]) {
    if (typeof value !== 'string' && !(Array.isArray(value) && value.every((one) => typeof one === 'string'))) throw invalidArgType(name, ['Array<string>', 'string'], value);
  }
  if (actual === expected) return [];
  const [left, right] = [actual, expected];
  const most = left.length + right.length;
  const reach = new Int32Array(2 * most + 1);
  const trace = [];
  const isDown = (step, k, list) => k === -step || (k !== step && list[k - 1 + most] < list[k + 1 + most]);
  search: for (let step = 0; step <= most; step++) {
    trace.push(reach.slice());
    for (let k = -step; k <= step; k += 2) {
      let x = isDown(step, k, reach) ? reach[k + 1 + most] : reach[k - 1 + most] + 1;
      let y = x - k;
      while (x < left.length && y < right.length && left[x] === right[y]) [x, y] = [x + 1, y + 1];
      reach[k + most] = x;
      if (x >= left.length && y >= right.length) break search;
    }
  }
  let [x, y] = [left.length, right.length];
  const found = [];
  for (let step = trace.length - 1; step >= 0; step--) {
    const list = trace[step];
    const k = x - y;
    const before = isDown(step, k, list) ? k + 1 : k - 1;
    const fromX = list[before + most];
    const fromY = fromX - before;
    for (; x > fromX && y > fromY; [x, y] = [x - 1, y - 1]) found.push([0, left[x - 1]]);
    if (step > 0) found.push(x > fromX ? [1, left[--x]] : [-1, right[--y]]);
  }
  return found.reverse();
}
module.exports = diff;
