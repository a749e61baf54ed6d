/** 饼图：从十二点开始顺时针。名称和比例列在旁边，不挤在图上。 */
import { Fault } from './fault.js';
import { begin, labelWidth, write } from './frame.js';
import { numberText } from './scale.js';

const percent = (share) => `${(share * 100).toFixed(share > 0 && share < 0.01 ? 2 : 1)}%`;

/** 图的半径至少这么多，旁边才写别的。 */
const LEAST = 40;

/** 旁边写什么：名称、比例和数；地方不够就先去掉数，再去掉比例，再截短名称。 */
function besideOf(room, wanted) {
  const left = room - 2 * LEAST - 54;
  const extra = [130, 70].find((one) => left - one >= Math.min(wanted, 60)) ?? 8;
  const names = Math.min(wanted, left - extra);
  return names < Math.min(wanted, 20) ? null : { names, extra };
}

export function drawPie(context, { slices }, params, theme) {
  const space = begin(context, { ...params, theme });
  const total = slices.reduce((sum, one) => sum + one.value, 0);
  if (!Number.isFinite(total)) throw new Fault('INVALID_DATA', '各部分的和太大');
  const shown = slices.map((one, index) => ({ ...one, index, share: one.value / total, text: numberText(one.value) }));
  const beside = besideOf(space.right - space.left, Math.min(labelWidth(context, slices.map((one) => one.label)), 220));
  const side = beside === null ? 0 : 30 + beside.names + beside.extra;
  const radius = Math.max(20, Math.min((space.bottom - space.top) / 2 - 4, (space.right - space.left - side - 24) / 2));
  const center = { x: space.left + radius + 8, y: (space.top + space.bottom) / 2 };
  let angle = -Math.PI / 2;
  for (const { share, index } of shown) {
    const end = angle + share * Math.PI * 2;
    context.beginPath();
    if (share < 1) context.moveTo(center.x, center.y);
    context.arc(center.x, center.y, radius, angle, end);
    context.closePath();
    context.fillStyle = theme.color(index);
    context.globalAlpha = index < 8 ? 1 : index < 16 ? 0.65 : 0.4;
    context.fill();
    context.globalAlpha = 1;
    if (slices.length > 1) {
      context.strokeStyle = theme.background;
      context.lineWidth = 2;
      context.lineJoin = 'round';
      context.stroke();
    }
    if (share >= 0.05) {
      const middle = (angle + end) / 2;
      const distance = share === 1 ? 0 : radius * (radius < 60 ? 0.58 : 0.66);
      write(context, percent(share), center.x + Math.cos(middle) * distance, center.y + Math.sin(middle) * distance, { color: '#ffffff', size: radius < 60 ? 10 : 12, weight: 700, align: 'center', baseline: 'middle' });
    }
    angle = end;
  }
  if (beside !== null) key(context, shown, { space, ...beside, left: center.x + radius + 36, theme });
}

function key(context, shown, { space, names, extra, left, theme }) {
  const height = Math.min(26, (space.bottom - space.top) / shown.length);
  const top = (space.top + space.bottom) / 2 - (height * shown.length) / 2;
  shown.forEach(({ label, share, text, index }, i) => {
    const y = top + height * (i + 0.5);
    context.fillStyle = theme.color(index);
    context.globalAlpha = index < 8 ? 1 : index < 16 ? 0.65 : 0.4;
    context.beginPath();
    context.roundRect(left, y - 5.5, 11, 11, 3);
    context.fill();
    context.globalAlpha = 1;
    write(context, label, left + 18, y, { color: theme.strong, baseline: 'middle', width: names + 1 });
    if (extra < 70) return;
    write(context, percent(share), left + 18 + names + 62, y, { color: theme.strong, weight: 700, align: 'right', baseline: 'middle' });
    if (extra < 130) return;
    write(context, text, left + 18 + names + 72, y, { color: theme.text, baseline: 'middle', width: Math.max(0, space.right - left - names - 90) });
  });
}
