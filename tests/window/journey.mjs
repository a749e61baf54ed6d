// A person's way through the real window, with a server that comes and goes, a tray, a second
// launch. Each step needs what the steps before it left.

import { join } from 'node:path';
import { World, EVIDENCE } from './world.mjs';
import { shellSteps } from './shell.mjs';
import { pageSteps } from './pages.mjs';
import { toolSteps } from './tools.mjs';
import { lossSteps } from './losses.mjs';
import { reachSteps } from './reach.mjs';

const world = await World.open();
const all = [...shellSteps, ...pageSteps, ...toolSteps, ...reachSteps, ...lossSteps];
// To look at one place: `node journey.mjs UNTIL` ends after the step that has these words.
const last = process.argv[2] ? all.findIndex(([name]) => name.includes(process.argv[2])) : -1;
const steps = last < 0 ? all : all.slice(0, last + 1);
let failed;
try {
  for (const [name, step] of steps) {
    const begun = performance.now();
    world.log(name);
    try {
      await step(world);
    } catch (error) {
      failed = name;
      console.error(`FAILED  ${name}\n${error.stack}`);
      const seen = await Promise.allSettled([
        // One after the other: the first waits until the page has been painted.
        world.page
          ?.keep(EVIDENCE, 'window')
          .finally(() => world.desk.ask('picture', { path: join(EVIDENCE, 'screen.png') })),
        world.desk.ask('windows').then((windows) => console.error(windows)),
        world.desk.menu().then((menu) => console.error(menu.map(({ text }) => text))),
      ]);
      for (const { reason } of seen) if (reason) console.error(String(reason));
      break;
    }
    console.log(`ok ${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${name}`);
  }
} finally {
  await world.page?.leave();
  await world.close();
}
if (failed !== undefined) {
  console.error(`what was seen is in ${EVIDENCE}`);
  process.exitCode = 1;
} else {
  console.log(`${steps.length} steps`);
}
