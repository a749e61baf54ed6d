// `node canvas-compare.mjs A.png B.png`: sizes, and the mean and worst difference of a channel on
// white paper, as JSON.
import { createCanvas, loadImage } from '@napi-rs/canvas';

const onPaper = async (file) => {
  const image = await loadImage(file);
  const { width, height } = image;
  const ctx = createCanvas(width, height).getContext('2d');
  ctx.fillStyle = '#fff';
  ctx.fillRect(0, 0, width, height);
  ctx.drawImage(image, 0, 0);
  return { width, height, data: ctx.getImageData(0, 0, width, height).data };
};

const [a, b] = await Promise.all(process.argv.slice(2, 4).map(onPaper));
if (a.width !== b.width || a.height !== b.height) throw new Error('the pictures have different sizes');
let [sum, worst, ink] = [0, 0, 0];
for (let i = 0; i < a.data.length; i += 1) {
  const difference = Math.abs(a.data[i] - b.data[i]);
  sum += difference;
  if (difference > worst) worst = difference;
  if (b.data[i] !== 255) ink += 1;
}
const mean = sum / a.data.length;
console.log(JSON.stringify({ width: a.width, height: a.height, mean, worst, ink: ink / a.data.length }));
