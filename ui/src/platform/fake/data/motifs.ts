/** A few drawings in many colours, made by the browser. Without a canvas they are one clear pixel. */

export const MOTIFS = ['Orbits', '柱状图', 'Evening hills', 'Dots on glass', '色环', 'Waves'];

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
/** So many are kept; a page of a gallery shows fewer. */
const KEPT = 400;
const made = new Map<string, string>();

export interface Look {
  motif: number;
  hue: number;
}

type Paint = (
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  hue: number,
) => void;

const paints: Paint[] = [orbits, bars, hills, dots, wheel, waves];

export function paint({ motif, hue }: Look, width: number, height: number): string {
  const key = `${motif}/${hue}/${width}x${height}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) return PIXEL;
  paints[motif]?.(context, width, height, hue);
  const url = canvas.toDataURL();
  if (made.size >= KEPT) made.delete(made.keys().next().value ?? '');
  made.set(key, url);
  return url;
}

function orbits(c: CanvasRenderingContext2D, width: number, height: number, hue: number) {
  c.fillStyle = `hsl(${hue} 30% 12%)`;
  c.fillRect(0, 0, width, height);
  for (let i = 0; i < 260; i += 1) {
    const distance = (Math.sqrt(i / 260) * Math.min(width, height)) / 2.2;
    const angle = i * 2.39996;
    c.fillStyle = `hsl(${hue + i / 3} 80% 65%)`;
    c.beginPath();
    const radius = (1 + i / 80) * (width / 400);
    c.arc(
      width / 2 + Math.cos(angle) * distance,
      height / 2 + Math.sin(angle) * distance,
      radius,
      0,
      7,
    );
    c.fill();
  }
}

function bars(c: CanvasRenderingContext2D, width: number, height: number, hue: number) {
  c.fillStyle = 'white';
  c.fillRect(0, 0, width, height);
  for (let i = 0; i < 8; i += 1) {
    const tall = height * (0.25 + 0.5 * Math.abs(Math.sin(i * 1.7 + hue)));
    c.fillStyle = `hsl(${hue} 65% ${45 + i * 4}%)`;
    c.fillRect(width * (0.08 + i * 0.108), height * 0.9 - tall, width * 0.08, tall);
  }
}

function hills(c: CanvasRenderingContext2D, width: number, height: number, hue: number) {
  const sky = c.createLinearGradient(0, 0, 0, height);
  sky.addColorStop(0, `hsl(${hue} 60% 30%)`);
  sky.addColorStop(1, `hsl(${hue + 60} 90% 80%)`);
  c.fillStyle = sky;
  c.fillRect(0, 0, width, height);
  for (let layer = 0; layer < 4; layer += 1) {
    c.fillStyle = `hsl(${hue - 20} 35% ${40 - layer * 8}%)`;
    c.beginPath();
    c.moveTo(0, height);
    for (let x = 0; x <= width; x += width / 80) {
      const wave = Math.sin((x / width) * (7 + layer * 2) + layer * 2) * 0.06;
      c.lineTo(x, height * (0.6 + layer * 0.09 + wave));
    }
    c.lineTo(width, height);
    c.fill();
  }
}

/** Clear around and between. */
function dots(c: CanvasRenderingContext2D, width: number, height: number, hue: number) {
  for (let i = 0; i < 40; i += 1) {
    c.fillStyle = `hsl(${hue + i * 4} 75% 55% / 0.6)`;
    c.beginPath();
    const x = (Math.sin(i * 12.9) * 0.42 + 0.5) * width;
    const y = (Math.sin(i * 78.2) * 0.42 + 0.5) * height;
    c.arc(x, y, (0.03 + (i % 5) * 0.02) * Math.min(width, height), 0, 7);
    c.fill();
  }
}

function wheel(c: CanvasRenderingContext2D, width: number, height: number, hue: number) {
  for (let i = 0; i < 24; i += 1) {
    c.fillStyle = `hsl(${hue + i * 15} 75% 60%)`;
    c.beginPath();
    c.moveTo(width / 2, height / 2);
    c.arc(width / 2, height / 2, Math.min(width, height) * 0.46, i * 0.2618, i * 0.2618 + 0.24);
    c.fill();
  }
}

function waves(c: CanvasRenderingContext2D, width: number, height: number, hue: number) {
  c.fillStyle = `hsl(${hue} 45% 94%)`;
  c.fillRect(0, 0, width, height);
  c.lineWidth = Math.max(1, width / 260);
  for (let i = 0; i < 22; i += 1) {
    c.strokeStyle = `hsl(${hue + i * 3} 60% 45%)`;
    c.beginPath();
    for (let x = 0; x <= width; x += width / 100) {
      const y = height * (0.1 + i * 0.038) + Math.sin((x / width) * 9 + i * 0.5) * height * 0.03;
      if (x === 0) c.moveTo(x, y);
      else c.lineTo(x, y);
    }
    c.stroke();
  }
}
