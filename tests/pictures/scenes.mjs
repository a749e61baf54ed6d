// What `cargo xtask sheets` draws in pm and in Chromium: the same calls, the bundled fonts. `bound`
// is the mean difference of a channel, of 255, above which the command fails.

const SANS = 'Arimo';
const SERIF = 'Tinos';
const HAN = 'Noto Sans CJK SC';
const paper = (ctx, w, h) => {
  ctx.fillStyle = '#fff';
  ctx.fillRect(0, 0, w, h);
  ctx.fillStyle = '#1a1a1a';
};

const text = (ctx, w, h) => {
  paper(ctx, w, h);
  const line = 'Sphinx of black quartz, judge my vow: 0123456789';
  [8, 10, 12, 14, 18, 24].reduce((y, size) => {
    ctx.font = `${size}px ${SANS}`;
    ctx.fillText(line, 16, y + size);
    return y + size * 1.5;
  }, 12);
  ctx.font = `italic bold 26px ${SANS}`;
  ctx.fillText('Italic and bold', 16, 190);
  ctx.font = `26px ${SERIF}`;
  ctx.strokeText('Outlined serif', 230, 190);
  ctx.font = `18px ${SANS}`;
  for (const [i, align] of ['left', 'center', 'right'].entries()) {
    ctx.textAlign = align;
    ctx.fillText(align, 300, 225 + i * 22);
  }
  ctx.fillRect(299.5, 205, 1, 70);
  ctx.textAlign = 'left';
  ctx.save();
  ctx.translate(40, 340);
  ctx.rotate(-0.2);
  ctx.letterSpacing = '3px';
  ctx.fillText('turned and spaced', 0, 0);
  ctx.restore();
  ctx.fillText('squeezed into a width of 150 pixels', 300, 330, 150);
};

const strokes = (ctx, w, h) => {
  paper(ctx, w, h);
  ctx.strokeStyle = '#1a1a1a';
  for (let i = 0; i < 12; i += 1) {
    ctx.lineWidth = 0.25 * (i + 1);
    ctx.beginPath();
    ctx.moveTo(20, 20 + i * 12);
    ctx.lineTo(220, 26 + i * 13);
    ctx.stroke();
  }
  for (const [i, join] of ['miter', 'round', 'bevel'].entries()) {
    for (const [k, cap] of ['butt', 'round', 'square'].entries()) {
      ctx.lineWidth = 14;
      ctx.lineJoin = join;
      ctx.lineCap = cap;
      ctx.beginPath();
      ctx.moveTo(255 + i * 100, 60 + k * 80);
      ctx.lineTo(290 + i * 100, 25 + k * 80);
      ctx.lineTo(325 + i * 100, 60 + k * 80);
      ctx.stroke();
    }
  }
  ctx.lineWidth = 3;
  ctx.lineCap = 'round';
  for (const [i, dash] of [[12, 8], [1, 8], [20, 6, 2, 6]].entries()) {
    ctx.setLineDash(dash);
    ctx.beginPath();
    ctx.moveTo(20, 220 + i * 30);
    ctx.bezierCurveTo(100, 120 + i * 30, 140, 320 + i * 30, 230, 220 + i * 30);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  for (let i = 0; i < 24; i += 1) {
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(430, 330);
    ctx.lineTo(430 + 70 * Math.cos((i * Math.PI) / 12), 330 + 60 * Math.sin((i * Math.PI) / 12));
    ctx.stroke();
  }
};

const gradients = (ctx, w, h) => {
  paper(ctx, w, h);
  const stops = (fill) => {
    [['#e8590c', 0], ['#ffd43b', 0.3], ['#2f9e44', 0.6], ['rgba(25,113,194,0.2)', 1]].forEach(([c, at]) => fill.addColorStop(at, c));
    return fill;
  };
  const fills = [
    ctx.createLinearGradient(20, 20, 180, 20),
    ctx.createLinearGradient(200, 20, 340, 160),
    ctx.createRadialGradient(460, 100, 10, 460, 100, 90),
    ctx.createRadialGradient(60, 250, 5, 110, 280, 80),
    ctx.createConicGradient(0.5, 280, 280),
    ctx.createRadialGradient(430, 290, 40, 500, 290, 10),
  ].map(stops);
  fills.forEach((fill, i) => {
    ctx.fillStyle = fill;
    ctx.fillRect(20 + (i % 3) * 180, 20 + Math.floor(i / 3) * 180, 165, 165);
  });
};

const shadows = (ctx, w, h) => {
  paper(ctx, w, h);
  [0, 4, 10, 24].forEach((blur, i) => {
    ctx.save();
    ctx.shadowColor = 'rgba(20, 20, 90, 0.6)';
    ctx.shadowBlur = blur;
    ctx.shadowOffsetX = 8;
    ctx.shadowOffsetY = 8;
    ctx.fillStyle = '#ff922b';
    ctx.fillRect(25 + i * 140, 25, 90, 80);
    ctx.beginPath();
    ctx.arc(70 + i * 140, 190, 45, 0, 7);
    ctx.fill();
    ctx.lineWidth = 6;
    ctx.strokeStyle = '#1864ab';
    ctx.strokeRect(30 + i * 140, 275, 80, 60);
    ctx.restore();
  });
  ctx.shadowColor = '#888';
  ctx.shadowBlur = 3;
  ctx.shadowOffsetY = 3;
  ctx.font = `bold 30px ${SANS}`;
  ctx.fillText('Shadowed text', 30, 385);
};

const chinese = (ctx, w, h) => {
  paper(ctx, w, h);
  const lines = [
    '画布是一块可以用程序绘制的区域，支持文字、图形与图像。',
    '清晨的阳光洒在窗台上，微风吹动着淡蓝色的窗帘。',
    '他说：“性能与质量，缺一不可。”——二〇二六年十一月',
    '混排 Chart.js 与中文，数字 12,480 和 99.9% 都要对齐。',
  ];
  ctx.font = `20px "${HAN}", ${SANS}`;
  lines.forEach((line, i) => ctx.fillText(line, 20, 45 + i * 34));
  ctx.font = `bold 34px "${HAN}"`;
  ctx.fillText('数据分析报告', 20, 225);
  ctx.font = `12px "${HAN}", ${SANS}`;
  lines.forEach((line, i) => ctx.fillText(line, 20, 270 + i * 22));
};

const months = ['1月', '2月', '3月', '4月', '5月', '6月'];
const series = (seed) => months.map((_, i) => 10 + ((i * seed * 7 + seed * 3) % 23));
const COLORS = ['#4c6ef5', '#e8590c', '#2f9e44', '#f59f00', '#ae3ec9', '#1098ad'];

const dashboard = (ctx, w, h, { Chart, create }) => {
  paper(ctx, w, h);
  Chart.defaults.font.family = `${SANS}, "${HAN}"`;
  const plain = { ticks: { callback: (value) => `${value}` } };
  const category = {};
  const kinds = [
    ['bar', { scales: { y: plain, x: category } }],
    ['line', { scales: { y: plain, x: category } }],
    ['pie', {}],
    ['doughnut', {}],
    ['radar', { scales: { r: plain } }],
    ['polarArea', { scales: { r: plain } }],
  ];
  kinds.forEach(([type, options], i) => {
    const part = create(w / 3, h / 2);
    const many = type === 'bar' || type === 'line' || type === 'radar';
    new Chart(part.getContext('2d'), {
      type,
      data: {
        labels: months,
        datasets: (many ? [1, 2] : [1]).map((seed) => ({
          label: `系列 ${seed}`, data: series(seed),
          backgroundColor: many ? `${COLORS[seed - 1]}99` : COLORS, borderColor: many ? COLORS[seed - 1] : '#fff',
        })),
      },
      options: { animation: false, responsive: false, devicePixelRatio: 1, ...options },
    });
    ctx.drawImage(part, (i % 3) * (w / 3), Math.floor(i / 3) * (h / 2));
  });
};

export const SCENES = {
  text: { bound: 4, draw: text },
  strokes: { bound: 2, draw: strokes },
  gradients: { bound: 2, draw: gradients },
  shadows: { bound: 2, draw: shadows },
  chinese: { bound: 5, draw: chinese },
  dashboard: { bound: 3, draw: dashboard, width: 1080, height: 620 },
};
