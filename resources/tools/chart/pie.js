/** 饼图：从十二点开始顺时针。名称和比例列在旁边，不挤在图上。 */
import { begin, labelWidth, write } from './frame.js';
import { numberText } from './scale.js';

const percent = (share) => `${(share * 100).toFixed(share > 0 && share < 0.01 ? 2 : 1)}%`;

export function drawPie(context, { slices }, params, theme) {
  const space = begin(context, { ...params, theme });
  const total = slices.reduce((sum, one) => sum + one.value, 0);
  const shown = slices.map((one, index) => ({ ...one, index, share: one.value / total, text: numberText(one.value) }));
  const names = Math.min(labelWidth(context, slices.map((one) => one.label)), 220);
  const side = 30 + names + 130;
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
      const distance = share === 1 ? 0 : radius * 0.66;
      write(context, percent(share), center.x + Math.cos(middle) * distance, center.y + Math.sin(middle) * distance, { color: '#ffffff', weight: 700, align: 'center', baseline: 'middle' });
    }
    angle = end;
  }
  key(context, shown, { space, names, left: center.x + radius + 36, theme });
}

function key(context, shown, { space, names, left, theme }) {
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
    write(context, percent(share), left + 18 + names + 62, y, { color: theme.strong, weight: 700, align: 'right', baseline: 'middle' });
    write(context, text, left + 18 + names + 72, y, { color: theme.text, baseline: 'middle', width: Math.max(0, space.right - left - names - 90) });
  });
}
