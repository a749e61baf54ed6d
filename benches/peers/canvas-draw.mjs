// One scene on one engine, in a process of its own: `ENGINE=pm|napi|node-canvas SCENE=… OUT=…`.
// Prints what a round took as JSON and leaves the picture in OUT. ROUNDS=0 draws once and says
// nothing: that is how a whole process is measured.
import fs from 'node:fs';
import { SCENES } from './canvas-scenes.mjs';

const { ENGINE, SCENE, OUT, FONTS, ROUNDS = '0' } = process.env;

/** How the engine makes canvases; fonts are our bundled ones everywhere. */
const engine = async () => {
  const files = () => fs.readdirSync(FONTS).filter((name) => /\.(ttf|otf)$/.test(name));
  if (ENGINE === 'napi') {
    const { createCanvas, GlobalFonts } = await import('@napi-rs/canvas');
    files().forEach((name) => GlobalFonts.registerFromPath(`${FONTS}/${name}`));
    return createCanvas;
  }
  if (ENGINE === 'node-canvas') {
    const { createCanvas, registerFont } = (await import('../node-canvas/node_modules/canvas/index.js')).default;
    for (const name of files()) {
      const family = { Arimo: 'Arimo', Tinos: 'Tinos', Cousine: 'Cousine' }[name.split('-')[0]] ?? 'Noto Sans CJK SC';
      registerFont(`${FONTS}/${name}`, {
        family, weight: name.includes('Bold') ? 'bold' : 'normal', style: name.includes('Italic') ? 'italic' : 'normal',
      });
    }
    return createCanvas;
  }
  return (width, height) => Object.assign(document.createElement('canvas'), { width, height });
};

const create = await engine();
const scene = SCENES[SCENE];
const { width = 800, height = 600 } = scene;
const modules = scene.module === undefined ? {} : await import(scene.module);

// What an engine cannot draw it is not measured by.
const context = create(1, 1).getContext('2d');
const lacks = (scene.needs ?? []).filter((name) => !(name in context));
if (lacks.length > 0) {
  console.log(`LACKS ${lacks.join(', ')}`);
  process.exit();
}

const draw = () => {
  const canvas = create(width, height);
  const ctx = canvas.getContext('2d');
  scene.draw(ctx, width, height, { create, modules });
  // Engines that put drawing off do it now.
  ctx.getImageData(0, 0, 1, 1);
  return canvas;
};
/** Milliseconds of wall and CPU that `work` takes. */
const timed = (work) => {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  work();
  const wall = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  return { wall, cpu: (user + system) / 1000 };
};

let canvas = draw();
const rounds = [];
let bytes = 0;
for (let round = 0; round < Number(ROUNDS); round += 1) {
  rounds.push(timed(() => {
    if (scene.encode) bytes = canvas.toBuffer('image/png').length;
    else canvas = draw();
  }));
}
fs.writeFileSync(OUT, canvas.toBuffer('image/png'));
if (rounds.length > 0) console.log(`ROUNDS ${JSON.stringify({ rounds, bytes })}`);
