// What `cargo xtask bench canvas` draws: the same calls for every engine. `bound` is the mean
// difference to the first peer (of 255, over all channels) that is still the same picture.

/** The same numbers in every engine. */
const numbers = (seed) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 4294967296;
};
const SANS = 'Arimo';
const CJK = 'Noto Sans CJK SC';
const color = (next, alpha = 1) =>
  `rgba(${Math.floor(next() * 256)},${Math.floor(next() * 256)},${Math.floor(next() * 256)},${alpha})`;
const white = (ctx, w, h) => {
  ctx.fillStyle = '#fff';
  ctx.fillRect(0, 0, w, h);
};

/** A small picture with structure, drawn and not loaded: no decoder is measured. */
const sprite = (env) => {
  const canvas = env.create(128, 96);
  const ctx = canvas.getContext('2d');
  const fill = ctx.createLinearGradient(0, 0, 128, 96);
  fill.addColorStop(0, '#0af');
  fill.addColorStop(1, '#fa0');
  ctx.fillStyle = fill;
  ctx.fillRect(0, 0, 128, 96);
  ctx.fillStyle = '#222';
  for (let i = 0; i < 12; i += 1) ctx.fillRect((i % 4) * 32 + 8, Math.floor(i / 4) * 32 + 8, 12, 12);
  return canvas;
};

const WORDS = ['Revenue', 'Q3 2026', 'forecast', '12,480', 'Average', 'fjord', 'glyph cache', 'Wave & Tide'];
const HAN = ['数据分析报告', '季度营收增长', '用户留存率', '画布渲染引擎', '中文排版测试', '性能对比结果'];

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const chart = (ctx, w, h) => {
  const next = numbers(7);
  white(ctx, w, h);
  ctx.font = `bold 22px ${SANS}`;
  ctx.fillStyle = '#222';
  ctx.textAlign = 'center';
  ctx.fillText('Revenue by month', w / 2, 36);
  ctx.font = `12px ${SANS}`;
  ctx.lineWidth = 1;
  for (let i = 0; i <= 10; i += 1) {
    const y = h - 60 - (i * (h - 130)) / 10;
    ctx.strokeStyle = '#ddd';
    ctx.beginPath();
    ctx.moveTo(60, y + 0.5);
    ctx.lineTo(w - 20, y + 0.5);
    ctx.stroke();
    ctx.fillStyle = '#666';
    ctx.textAlign = 'right';
    ctx.fillText(`${i * 10}k`, 52, y + 4);
  }
  const step = (w - 90) / 12;
  const tops = months.map(() => (0.2 + next() * 0.7) * (h - 130));
  months.forEach((month, i) => {
    const x = 66 + i * step;
    const fill = ctx.createLinearGradient(0, h - 60 - tops[i], 0, h - 60);
    fill.addColorStop(0, '#4c8dff');
    fill.addColorStop(1, '#1b4fb8');
    ctx.fillStyle = fill;
    ctx.beginPath();
    ctx.roundRect(x, h - 60 - tops[i], step - 14, tops[i], [6, 6, 0, 0]);
    ctx.fill();
    ctx.fillStyle = '#444';
    ctx.textAlign = 'center';
    ctx.fillText(month, x + (step - 14) / 2, h - 40);
  });
  ctx.strokeStyle = '#e8590c';
  ctx.lineWidth = 3;
  ctx.lineJoin = 'round';
  ctx.beginPath();
  tops.forEach((top, i) => ctx.lineTo(66 + i * step + (step - 14) / 2, h - 40 - top * 0.8 - 40));
  ctx.stroke();
  tops.forEach((top, i) => {
    ctx.beginPath();
    ctx.arc(66 + i * step + (step - 14) / 2, h - 40 - top * 0.8 - 40, 5, 0, Math.PI * 2);
    ctx.fillStyle = '#fff';
    ctx.fill();
    ctx.stroke();
  });
};

const OPERATIONS = [
  'source-over', 'source-in', 'source-out', 'source-atop', 'destination-over', 'destination-in',
  'destination-out', 'destination-atop', 'lighter', 'copy', 'xor', 'multiply', 'screen', 'overlay',
  'darken', 'lighten', 'color-dodge', 'color-burn', 'hard-light', 'soft-light', 'difference',
  'exclusion', 'hue', 'saturation', 'color', 'luminosity',
];

export const SCENES = {
  'rects-10k': {
    bound: 1,
    draw(ctx, w, h) {
      const next = numbers(1);
      for (let i = 0; i < 10_000; i += 1) {
        ctx.fillStyle = color(next);
        ctx.fillRect(Math.floor(next() * w), Math.floor(next() * h), Math.floor(next() * 40), Math.floor(next() * 40));
      }
    },
  },
  'alpha-rects-10k': {
    bound: 2,
    draw(ctx, w, h) {
      const next = numbers(2);
      for (let i = 0; i < 10_000; i += 1) {
        ctx.fillStyle = color(next, 0.5);
        ctx.fillRect(next() * w, next() * h, next() * 40, next() * 40);
      }
    },
  },
  'arcs-2k': {
    bound: 2,
    draw(ctx, w, h) {
      const next = numbers(3);
      for (let i = 0; i < 2_000; i += 1) {
        ctx.beginPath();
        ctx.arc(next() * w, next() * h, 2 + next() * 30, 0, Math.PI * 2);
        ctx.fillStyle = color(next, 0.7);
        ctx.fill();
      }
    },
  },
  'dashed-beziers-600': {
    bound: 2,
    draw(ctx, w, h) {
      const next = numbers(4);
      white(ctx, w, h);
      ctx.setLineDash([9, 5]);
      for (let i = 0; i < 600; i += 1) {
        ctx.beginPath();
        ctx.moveTo(next() * w, next() * h);
        ctx.bezierCurveTo(next() * w, next() * h, next() * w, next() * h, next() * w, next() * h);
        ctx.strokeStyle = color(next);
        ctx.lineWidth = 0.5 + next() * 4;
        ctx.stroke();
      }
    },
  },
  'texts-1000': {
    bound: 4,
    draw(ctx, w, h) {
      const next = numbers(5);
      white(ctx, w, h);
      for (let i = 0; i < 1_000; i += 1) {
        ctx.font = `${i % 3 === 0 ? 'bold ' : ''}${10 + (i % 5) * 3}px ${SANS}`;
        ctx.fillStyle = color(next);
        ctx.fillText(`${WORDS[i % WORDS.length]} ${i}`, next() * w, next() * h);
      }
    },
  },
  'cjk-texts-300': {
    bound: 4,
    draw(ctx, w, h) {
      const next = numbers(6);
      white(ctx, w, h);
      for (let i = 0; i < 300; i += 1) {
        ctx.font = `${12 + (i % 4) * 4}px "${CJK}"`;
        ctx.fillStyle = color(next);
        ctx.fillText(`${HAN[i % HAN.length]}${i}`, next() * w, next() * h);
      }
    },
  },
  gradients: {
    needs: ['createConicGradient'],
    bound: 2,
    draw(ctx, w, h) {
      const next = numbers(8);
      for (let i = 0; i < 60; i += 1) {
        const [x, y, r] = [next() * w, next() * h, 40 + next() * 120];
        const fill = [
          () => ctx.createLinearGradient(x - r, y - r, x + r, y + r),
          () => ctx.createRadialGradient(x, y, r / 8, x, y, r),
          () => ctx.createConicGradient(next() * 6, x, y),
        ][i % 3]();
        for (let stop = 0; stop <= 4; stop += 1) fill.addColorStop(stop / 4, color(next, 0.8));
        ctx.fillStyle = fill;
        ctx.fillRect(x - r, y - r, r * 2, r * 2);
      }
    },
  },
  images: {
    bound: 3,
    draw(ctx, w, h, env) {
      const next = numbers(9);
      const picture = sprite(env);
      for (let i = 0; i < 400; i += 1) {
        ctx.save();
        ctx.translate(next() * w, next() * h);
        if (i % 2 === 0) ctx.rotate(next() * 6);
        ctx.scale(0.3 + next() * 1.2, 0.3 + next() * 1.2);
        ctx.drawImage(picture, -64, -48);
        ctx.restore();
      }
    },
  },
  'shadows-composites': {
    bound: 6,
    draw(ctx, w, h) {
      OPERATIONS.forEach((operation, i) => {
        const [x, y] = [(i % 7) * 114, Math.floor(i / 7) * 148];
        ctx.save();
        ctx.beginPath();
        ctx.rect(x, y, 110, 144);
        ctx.clip();
        ctx.fillStyle = '#3a7';
        ctx.fillRect(x + 10, y + 10, 60, 80);
        ctx.globalCompositeOperation = operation;
        ctx.shadowColor = 'rgba(20,20,80,0.7)';
        ctx.shadowBlur = 4 + (i % 5) * 4;
        ctx.shadowOffsetX = 6;
        ctx.shadowOffsetY = 8;
        ctx.fillStyle = 'rgba(220,80,40,0.8)';
        ctx.beginPath();
        ctx.arc(x + 62, y + 82, 32, 0, Math.PI * 2);
        ctx.fill();
        ctx.restore();
      });
    },
  },
  'nested-clips': {
    bound: 3,
    draw(ctx, w, h) {
      const next = numbers(10);
      for (let i = 0; i < 60; i += 1) {
        ctx.save();
        for (let depth = 0; depth < 5; depth += 1) {
          ctx.beginPath();
          ctx.ellipse(w / 2 + (next() - 0.5) * 300, h / 2 + (next() - 0.5) * 200, 320 - depth * 30, 240 - depth * 25, 0, 0, 7);
          ctx.clip();
        }
        ctx.fillStyle = color(next, 0.6);
        ctx.fillRect(0, 0, w, h);
        ctx.restore();
      }
    },
  },
  'image-data': {
    bound: 2,
    draw(ctx, w, h) {
      ctx.fillStyle = '#28c';
      ctx.fillRect(40, 30, w - 90, h - 70);
      for (let i = 0; i < 6; i += 1) {
        const data = ctx.getImageData(0, 0, w, h);
        for (let x = 0; x < w; x += 4) data.data[(i * 50 * w + x) * 4 + 1] = 255;
        ctx.putImageData(data, i, i);
      }
    },
  },
  'hand-made-chart': { bound: 3, draw: chart },
  'chart-js': {
    bound: 4,
    module: 'chart.js/auto',
    draw(ctx, w, h, env) {
      const { Chart } = env.modules;
      Chart.defaults.font.family = SANS;
      new Chart(ctx, {
        type: 'bar',
        data: {
          labels: months,
          datasets: [
            { label: 'North', data: months.map((_, i) => 12 + ((i * 7) % 11)), backgroundColor: '#4c8dff' },
            { label: 'South', data: months.map((_, i) => 5 + ((i * 5) % 13)), backgroundColor: '#e8590c' },
          ],
        },
        options: {
          animation: false, responsive: false, devicePixelRatio: 1,
          scales: { y: { ticks: { callback: (value) => `${value}` } } },
        },
      });
    },
  },
  'png-800x600': { bound: 3, draw: chart, encode: true },
  'png-4k': { bound: 3, draw: chart, encode: true, width: 3840, height: 2160 },
};
