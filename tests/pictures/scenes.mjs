// What `cargo xtask sheets` draws in pm and in Chromium: the same calls, the bundled fonts. `bound`
// is the mean difference of a channel, of 255, above which the command fails. Scenes with `kept` need
// no library: their pictures are in `reference`, and a test of the bindings draws them again.

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

const emoji = (ctx, w, h) => {
  paper(ctx, w, h);
  const face = (size) => `${size}px ${SANS}, "Noto Color Emoji", "${HAN}"`;
  ['😀 😎 🤖 👩‍🚀 👍🏽 ❤️ 🎉 🐼 🍜 🚀', '🇨🇳 🇩🇪 🇧🇷 1️⃣ ⚠️ ✅ ❌ ⭐ 📈 📉', 'Launch 🚀 到了 🎯 100% ✅ done'].forEach((line, i) => {
    ctx.font = face(36 - 8 * i);
    ctx.fillText(line, 16, 48 + 50 * i);
  });
  ctx.font = face(60);
  ctx.globalAlpha = 0.5;
  ctx.fillText('🌈', 20, 250);
  ctx.globalAlpha = 1;
  ctx.fillStyle = 'rgba(0, 0, 0, 0.4)';
  ctx.fillText('🌋', 120, 250);
  ctx.fillStyle = '#1a1a1a';
  ctx.shadowColor = 'rgba(20, 20, 90, 0.7)';
  ctx.shadowBlur = 6;
  ctx.shadowOffsetX = 10;
  ctx.fillText('🐙', 220, 250);
  ctx.shadowColor = 'transparent';
  ctx.strokeText('🦊x', 330, 250);
  ctx.save();
  ctx.translate(470, 240);
  ctx.rotate(-0.5);
  ctx.fillText('🧭', 0, 0);
  ctx.restore();
  ctx.font = face(12);
  ctx.fillText('small: 😀 🎉 🚀 🐼 🍜 ✅', 20, 300);
  ctx.font = face(90);
  ctx.fillText('🎨', 20, 390);
  ctx.fillText('🦜', 160, 390);
};

// Each line in fonts that are unpacked when it asks for them.
const scripts = (ctx, w, h) => {
  paper(ctx, w, h);
  const lines = [
    ['Noto Sans CJK SC Extra', '日本語の漢字と仮名、東京の駅'],
    ['Noto Sans CJK SC Extra', '繁體中文：學習與體驗、龍鳳'],
    ['Noto Sans CJK KR', '안녕하세요 세계, 한국어 글꼴'],
    ['Noto Sans Arabic', 'مرحبا بالعالم 123 العربية'],
    ['Noto Sans Hebrew', 'שלום עולם 123 עברית'],
    ['Noto Sans Devanagari', 'नमस्ते दुनिया, हिन्दी क्षत्रिय'],
    ['Noto Sans Thai', 'สวัสดีชาวโลก ภาษาไทย'],
  ];
  lines.forEach(([family, line], i) => {
    ctx.font = `22px ${SANS}, "${family}", "${HAN}"`;
    ctx.direction = i === 3 || i === 4 ? 'rtl' : 'ltr';
    ctx.textAlign = 'start';
    ctx.fillText(line, ctx.direction === 'rtl' ? w - 20 : 20, 45 + i * 50);
  });
  ctx.direction = 'ltr';
};

const letters = (ctx, w, h) => {
  paper(ctx, w, h);
  const line = 'Handgloves AVATAR fi 12';
  const lines = [
    {}, { letterSpacing: '3px' }, { wordSpacing: '14px' }, { fontKerning: 'none' }, { fontVariantCaps: 'small-caps' },
    { fontVariantCaps: 'all-small-caps' }, { font: `oblique 20px ${SANS}` }, { font: `small-caps bold 20px ${SERIF}` },
    { font: 'italic 20px Cousine' },
  ];
  lines.forEach((given, i) => {
    ctx.save();
    ctx.font = `20px ${SANS}`;
    Object.assign(ctx, given);
    ctx.fillText(line, 20, 36 + i * 32);
    ctx.restore();
  });
  ctx.font = `18px ${SANS}`;
  ctx.fillRect(20, 345, 520, 0.5);
  ['alphabetic', 'top', 'hanging', 'middle', 'ideographic', 'bottom'].forEach((baseline, i) => {
    ctx.textBaseline = baseline;
    ctx.fillText(baseline, 20 + i * 90, 345);
  });
};

const OPERATIONS = [
  'source-over', 'source-in', 'source-out', 'source-atop', 'destination-over', 'destination-in', 'destination-out',
  'destination-atop', 'lighter', 'copy', 'xor', 'multiply', 'screen', 'overlay', 'darken', 'lighten', 'color-dodge',
  'color-burn', 'hard-light', 'soft-light', 'difference', 'exclusion', 'hue', 'saturation', 'color', 'luminosity',
];

// Every operation with a shadow, on a canvas of its own.
const operations = (ctx, w, h, { create }) => {
  paper(ctx, w, h);
  OPERATIONS.forEach((operation, i) => {
    const part = create(76, 92);
    const inner = part.getContext('2d');
    const fade = inner.createLinearGradient(0, 0, 60, 60);
    fade.addColorStop(0, '#e8590c');
    fade.addColorStop(1, 'rgba(255, 212, 59, 0.6)');
    inner.fillStyle = fade;
    inner.fillRect(4, 4, 46, 46);
    inner.globalCompositeOperation = operation;
    inner.shadowColor = 'rgba(0, 0, 90, 0.5)';
    inner.shadowOffsetX = 8;
    inner.shadowOffsetY = 8;
    inner.globalAlpha = 0.9;
    inner.fillStyle = '#1971c2';
    inner.beginPath();
    inner.arc(42, 48, 24, 0, 7);
    inner.fill();
    ctx.drawImage(part, 4 + (i % 7) * 79, 2 + Math.floor(i / 7) * 99);
  });
};

const tile = (create) => {
  const part = create(16, 16);
  const inner = part.getContext('2d');
  inner.fillStyle = '#ffe8cc';
  inner.fillRect(0, 0, 16, 16);
  inner.fillStyle = '#c92a2a';
  inner.fillRect(2, 2, 6, 6);
  inner.fillStyle = '#1864ab';
  inner.beginPath();
  inner.arc(11, 11, 4, 0, 7);
  inner.fill();
  return part;
};

const patterns = (ctx, w, h, { create }) => {
  paper(ctx, w, h);
  const picture = tile(create);
  ['repeat', 'repeat-x', 'repeat-y', 'no-repeat'].forEach((repeat, i) => {
    [null, [1.5, 0.4, -0.4, 1.5, 10, 6], [3, 0, 0, 3, 0, 0]].forEach((matrix, k) => {
      const pattern = ctx.createPattern(picture, repeat);
      if (matrix) pattern.setTransform(new DOMMatrix(matrix));
      ctx.save();
      ctx.translate(10 + i * 138, 10 + k * 130);
      ctx.imageSmoothingEnabled = k !== 2;
      ctx.fillStyle = pattern;
      ctx.fillRect(0, 0, 125, 118);
      ctx.strokeStyle = '#868e96';
      ctx.strokeRect(0.5, 0.5, 124, 117);
      ctx.restore();
    });
  });
};

// Scaled up and down, turned, a part of it, with and without smoothing.
const images = (ctx, w, h, { create }) => {
  paper(ctx, w, h);
  const large = create(240, 240);
  gradients(large.getContext('2d'), 240, 240);
  const small = tile(create);
  ctx.drawImage(large, 10, 10, 120, 120);
  ctx.imageSmoothingQuality = 'high';
  ctx.drawImage(large, 145, 10, 60, 60);
  ctx.drawImage(large, 145, 80, 30, 30);
  ctx.drawImage(large, 20, 20, 100, 100, 220, 10, 150, 120);
  ctx.drawImage(small, 385, 10, 80, 120);
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(small, 475, 10, 80, 120);
  ctx.imageSmoothingEnabled = true;
  ctx.save();
  ctx.translate(120, 270);
  ctx.rotate(0.5);
  ctx.globalAlpha = 0.7;
  ctx.drawImage(large, -80, -60, 160, 120);
  ctx.restore();
  ctx.save();
  ctx.transform(1, 0.3, -0.4, 1, 300, 180);
  ctx.shadowColor = 'rgba(0, 0, 0, 0.5)';
  ctx.shadowBlur = 10;
  ctx.shadowOffsetX = 8;
  ctx.drawImage(large, 0, 0, 120, 120);
  ctx.restore();
  ctx.beginPath();
  ctx.ellipse(470, 280, 70, 90, 0.4, 0, 7);
  ctx.clip();
  ctx.drawImage(small, 0, 0, 8, 8, 390, 180, 160, 200);
};

const filters = (ctx, w, h, { create }) => {
  paper(ctx, w, h);
  const picture = tile(create);
  const given = [
    'none', 'blur(3px)', 'drop-shadow(6px 6px 4px #1864ab)', 'brightness(1.4)', 'contrast(1.8)', 'saturate(2.5)', 'hue-rotate(90deg)', 'sepia(0.8)',
    'grayscale(1)', 'invert(0.9)', 'opacity(0.4)', 'blur(1.5px) hue-rotate(180deg) drop-shadow(4px 4px 0 #000)',
  ];
  given.forEach((filter, i) => {
    ctx.filter = filter;
    ctx.drawImage(picture, 25 + (i % 4) * 138, 20 + Math.floor(i / 4) * 130, 90, 90);
  });
  ctx.filter = 'none';
};

const clips = (ctx, w, h) => {
  paper(ctx, w, h);
  ctx.save();
  ctx.beginPath();
  ctx.arc(140, 130, 110, 0, 7);
  ctx.clip();
  ctx.beginPath();
  for (let i = 0; i < 5; i += 1) ctx.lineTo(140 + 130 * Math.sin(i * 2.513), 130 - 130 * Math.cos(i * 2.513));
  ctx.clip('evenodd');
  for (let i = 0; i < 26; i += 1) {
    ctx.fillStyle = `hsl(${i * 14} 80% 50%)`;
    ctx.fillRect(i * 10, 0, 7, 260);
  }
  ctx.restore();
  const path = new Path2D('M300 30 h200 v100 q-60 60 -100 0 t-100 20 z');
  path.addPath(new Path2D('M0 0 L30 0 L15 30 Z'), new DOMMatrix([2, 0.5, 0, 2, 380, 50]));
  ctx.fillStyle = '#2f9e44';
  ctx.fill(path, 'evenodd');
  ctx.lineWidth = 3;
  ctx.stroke(path);
  ctx.beginPath();
  ctx.roundRect(30, 270, 150, 110, [10, 40, 0, { x: 60, y: 20 }]);
  ctx.roundRect(210, 270, 140, 110, 30);
  ctx.fillStyle = '#f59f00';
  ctx.fill();
  ctx.stroke();
  ctx.beginPath();
  ctx.ellipse(450, 320, 80, 40, -0.4, 0.3, 5);
  ctx.arcTo(540, 380, 400, 390, 20);
  ctx.setLineDash([14, 5, 3, 5]);
  ctx.lineWidth = 4;
  ctx.stroke();
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
    ['bar', { indexAxis: 'y', scales: { x: { ...plain, stacked: true }, y: { ...category, stacked: true } } }],
    ['line', { fill: true, tension: 0.4, scales: { y: plain, x: category } }],
    ['scatter', { scales: { x: plain, y: plain } }],
    ['bubble', { scales: { x: plain, y: plain } }],
  ];
  const points = (type, seed) => series(seed).map((y, i) => (type === 'bubble' ? { x: i * seed, y, r: 3 + y / 4 } : { x: i * seed, y }));
  kinds.forEach(([type, options], i) => {
    const part = create(w / 5, h / 2);
    const many = type !== 'pie' && type !== 'doughnut' && type !== 'polarArea';
    const pairs = type === 'scatter' || type === 'bubble';
    new Chart(part.getContext('2d'), {
      type,
      data: {
        labels: months,
        datasets: (many ? [1, 2] : [1]).map((seed) => ({
          label: `系列 ${seed}`, data: pairs ? points(type, seed) : series(seed), fill: options.fill ?? false, tension: options.tension ?? 0,
          backgroundColor: many ? `${COLORS[seed - 1]}99` : COLORS, borderColor: many ? COLORS[seed - 1] : '#fff',
        })),
      },
      options: { animation: false, responsive: false, devicePixelRatio: 1, ...options },
    });
    ctx.drawImage(part, (i % 5) * (w / 5), Math.floor(i / 5) * (h / 2));
  });
};

// The countries of the world, each in a colour, with the graticule.
const map = (ctx, w, h, { d3, topojson, world }) => {
  paper(ctx, w, h);
  const projection = d3.geoNaturalEarth1().fitExtent([[10, 10], [w - 10, h - 10]], { type: 'Sphere' });
  const path = d3.geoPath(projection, ctx);
  const draw = (shape, fill, stroke, width) => {
    ctx.beginPath();
    path(shape);
    if (fill) {
      ctx.fillStyle = fill;
      ctx.fill();
    }
    ctx.lineWidth = width;
    ctx.strokeStyle = stroke;
    ctx.stroke();
  };
  draw({ type: 'Sphere' }, '#e7f5ff', '#1971c2', 1.5);
  draw(d3.geoGraticule10(), null, 'rgba(0, 0, 0, 0.15)', 0.5);
  topojson.feature(world, world.objects.countries).features.forEach((country, i) => draw(country, `${COLORS[i % COLORS.length]}b0`, '#fff', 0.5));
};

// A force of nobody's: the places of the nodes are given, so that both draw the same.
const graph = (ctx, w, h, { echarts, create }) => {
  paper(ctx, w, h);
  const part = create(w, h);
  echarts.setPlatformAPI({ createCanvas: () => create(10, 10) });
  const chart = echarts.init(part, null, { renderer: 'canvas', width: w, height: h, devicePixelRatio: 1 });
  const data = Array.from({ length: 24 }, (_, i) => ({
    name: `节点 ${i}`, x: 200 * Math.cos(i * 0.9) * (1 + (i % 3)), y: 120 * Math.sin(i * 0.9) * (1 + (i % 4)),
    symbolSize: 12 + (i % 5) * 6, category: i % 3,
  }));
  chart.setOption({
    animation: false,
    title: { text: '关系图', left: 10, top: 6, textStyle: { fontFamily: HAN } },
    legend: { data: ['a', 'b', 'c'], right: 10, top: 10, textStyle: { fontFamily: SANS } },
    series: [{
      type: 'graph', layout: 'none', data, categories: ['a', 'b', 'c'].map((name) => ({ name })),
      links: data.flatMap((_, i) => [{ source: i, target: (i + 1) % 24 }, { source: i, target: (i * 7 + 3) % 24 }]),
      label: { show: true, position: 'right', fontFamily: HAN }, lineStyle: { color: 'source', curveness: 0.2 },
    }],
  });
  ctx.drawImage(part, 0, 0);
  chart.dispose();
};

export const SCENES = {
  text: { bound: 4, kept: true, draw: text },
  strokes: { bound: 2, kept: true, draw: strokes },
  gradients: { bound: 2, kept: true, draw: gradients },
  shadows: { bound: 2, kept: true, draw: shadows },
  chinese: { bound: 5, kept: true, draw: chinese },
  emoji: { bound: 2, kept: true, draw: emoji },
  scripts: { bound: 4, kept: true, draw: scripts },
  letters: { bound: 4, kept: true, draw: letters },
  operations: { bound: 2, kept: true, draw: operations },
  patterns: { bound: 2, kept: true, draw: patterns },
  images: { bound: 2, kept: true, draw: images },
  filters: { bound: 2, kept: true, draw: filters },
  clips: { bound: 2, kept: true, draw: clips },
  dashboard: { bound: 3, draw: dashboard, width: 1500, height: 620 },
  map: { bound: 2, draw: map, width: 900, height: 460 },
  graph: { bound: 3, draw: graph, width: 760, height: 460 },
};
