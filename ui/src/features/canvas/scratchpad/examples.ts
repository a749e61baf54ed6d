/**
 * Drawings to start from. A first line `// title` is put before them in the page's language; it is
 * what the picture will be called.
 */

export const EXAMPLES = ['spiral', 'chart', 'gradient', 'text', 'pattern', 'transforms'] as const;
export type Example = (typeof EXAMPLES)[number];

const spiral = `const size = 600;
const ctx = getCanvas(size, size).getContext('2d');
ctx.fillStyle = '#10131c';
ctx.fillRect(0, 0, size, size);

const golden = Math.PI * (3 - Math.sqrt(5));
const seeds = 900;
for (let i = 0; i < seeds; i++) {
  const share = i / seeds;
  const distance = Math.sqrt(share) * size * 0.45;
  const angle = i * golden;
  const x = size / 2 + Math.cos(angle) * distance;
  const y = size / 2 + Math.sin(angle) * distance;
  ctx.fillStyle = \`hsl(\${200 + share * 140} 85% 64%)\`;
  ctx.beginPath();
  ctx.arc(x, y, 1.5 + share * 6, 0, Math.PI * 2);
  ctx.fill();
}
return { seeds };
`;

const chart = `const values = input?.values ?? [42, 58, 51, 73, 66, 89, 96];
const [width, height, edge] = [800, 480, 56];
const ctx = getCanvas(width, height).getContext('2d');
ctx.fillStyle = '#ffffff';
ctx.fillRect(0, 0, width, height);

const top = Math.ceil(Math.max(...values) / 20) * 20;
const x = (i) => edge + ((i + 0.5) * (width - 2 * edge)) / values.length;
const y = (value) => height - edge - (value / top) * (height - 2 * edge);

ctx.font = '14px sans-serif';
ctx.textBaseline = 'middle';
ctx.textAlign = 'right';
for (let value = 0; value <= top; value += 20) {
  ctx.strokeStyle = value === 0 ? '#9aa0ad' : '#e6e8ec';
  ctx.beginPath();
  ctx.moveTo(edge, y(value) + 0.5);
  ctx.lineTo(width - edge, y(value) + 0.5);
  ctx.stroke();
  ctx.fillStyle = '#6b7280';
  ctx.fillText(String(value), edge - 10, y(value));
}

ctx.textAlign = 'center';
values.forEach((value, i) => {
  const fill = ctx.createLinearGradient(0, y(value), 0, y(0));
  fill.addColorStop(0, '#4f6df5');
  fill.addColorStop(1, '#9db0ff');
  ctx.fillStyle = fill;
  ctx.beginPath();
  ctx.roundRect(x(i) - 26, y(value), 52, y(0) - y(value), [8, 8, 0, 0]);
  ctx.fill();
  ctx.fillStyle = '#1f2430';
  ctx.fillText(String(value), x(i), y(value) - 14);
});
return { top, values };
`;

const gradient = `const [width, height] = [800, 500];
const ctx = getCanvas(width, height).getContext('2d');

const sky = ctx.createLinearGradient(0, 0, 0, height);
sky.addColorStop(0, '#1b2a6b');
sky.addColorStop(0.55, '#e2739b');
sky.addColorStop(0.8, '#ffd29d');
ctx.fillStyle = sky;
ctx.fillRect(0, 0, width, height);

const sun = ctx.createRadialGradient(400, 330, 20, 400, 330, 190);
sun.addColorStop(0, 'rgb(255 250 220)');
sun.addColorStop(0.25, 'rgb(255 236 170 / 0.8)');
sun.addColorStop(1, 'rgb(255 220 150 / 0)');
ctx.fillStyle = sun;
ctx.fillRect(0, 0, width, height);

const hills = ['#8c4a7c', '#5c3570', '#33245a', '#191a3b'];
hills.forEach((color, layer) => {
  const base = 330 + layer * 44;
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.moveTo(0, height);
  for (let x = 0; x <= width; x += 4) {
    const wave = Math.sin(x / (90 - layer * 12) + layer * 2) + Math.sin(x / 37 + layer) * 0.4;
    ctx.lineTo(x, base - wave * (26 - layer * 3));
  }
  ctx.lineTo(width, height);
  ctx.fill();
});
`;

const text = `const [width, height] = [800, 420];
const ctx = getCanvas(width, height).getContext('2d');
ctx.fillStyle = '#faf7f0';
ctx.fillRect(0, 0, width, height);

ctx.textAlign = 'center';
ctx.fillStyle = '#22201c';
ctx.font = 'bold 84px sans-serif';
ctx.fillText('山高月小', width / 2, 160);
ctx.font = '26px sans-serif';
ctx.fillStyle = '#6d665a';
ctx.fillText('水落石出', width / 2, 216);

ctx.font = 'italic 28px serif';
const line = 'The hills are high, the moon is small.';
const { width: wide } = ctx.measureText(line);
ctx.fillStyle = '#9a3b2e';
ctx.fillRect((width - wide) / 2, 262, wide, 1.5);
ctx.fillStyle = '#22201c';
ctx.fillText(line, width / 2, 306);

ctx.fillStyle = '#9a3b2e';
ctx.beginPath();
ctx.roundRect(690, 318, 62, 62, 8);
ctx.fill();
ctx.fillStyle = '#faf7f0';
ctx.font = 'bold 26px sans-serif';
ctx.fillText('画', 721, 358);
return { wide: Math.round(wide) };
`;

const pattern = `const tile = new OffscreenCanvas(64, 64);
const t = tile.getContext('2d');
t.fillStyle = '#0f3d4c';
t.fillRect(0, 0, 64, 64);
for (const [x, y] of [[0, 64], [64, 64], [32, 32], [0, 0], [64, 0]]) {
  for (let radius = 30; radius > 0; radius -= 10) {
    t.beginPath();
    t.arc(x, y, radius, 0, Math.PI * 2);
    t.fillStyle = radius === 20 ? '#f1e3c6' : radius === 10 ? '#e07a3f' : '#2f8f83';
    t.fill();
  }
}

const ctx = getCanvas(768, 512).getContext('2d');
ctx.fillStyle = ctx.createPattern(tile, 'repeat');
ctx.fillRect(0, 0, 768, 512);

ctx.globalCompositeOperation = 'destination-in';
ctx.beginPath();
ctx.roundRect(24, 24, 720, 464, 40);
ctx.fill();
`;

const transforms = `const size = 640;
const ctx = getCanvas(size, size).getContext('2d');
ctx.translate(size / 2, size / 2);

const petal = new Path2D();
petal.moveTo(0, 0);
petal.bezierCurveTo(90, -60, 90, -200, 0, -290);
petal.bezierCurveTo(-90, -200, -90, -60, 0, 0);

const petals = 12;
for (let ring = 0; ring < 3; ring++) {
  for (let i = 0; i < petals; i++) {
    ctx.save();
    ctx.rotate(((i + ring / 2) / petals) * Math.PI * 2);
    ctx.scale(1 - ring * 0.26, 1 - ring * 0.26);
    ctx.fillStyle = \`hsl(\${330 + ring * 32} 80% \${62 + ring * 6}% / 0.5)\`;
    ctx.strokeStyle = 'rgb(255 255 255 / 0.55)';
    ctx.lineWidth = 1.5;
    ctx.fill(petal);
    ctx.stroke(petal);
    ctx.restore();
  }
}
ctx.beginPath();
ctx.arc(0, 0, 34, 0, Math.PI * 2);
ctx.fillStyle = '#ffd666';
ctx.fill();
return petals * 3;
`;

const CODE: Record<Example, string> = { spiral, chart, gradient, text, pattern, transforms };

export function exampleCode(example: Example, title: string): string {
  return `// ${title}\n${CODE[example]}`;
}
