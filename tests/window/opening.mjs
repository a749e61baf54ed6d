// How long the window takes to be there, and what it costs, beside a Tauri window with a page of
// one button. Both are started in turn, on the same screen. Prints one JSON object;
// `cargo xtask bench window` words it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { PROGRAM, World } from './world.mjs';

const ROUNDS = 7;
/** A window that has not changed for so long is ready; the time of its last change counts. */
const REST_MS = 1_000;
const LIMIT_MS = 60_000;
/** What has been started last is left alone for so long until its start is over, and then while its time is taken. */
const SETTLE_MS = 10_000;
const IDLE_MS = 20_000;
/** Of the kernel's clock for processes. */
const TICK_MS = 10;
const EMPTY = process.env.PM_EMPTY;

const PROGRAMS = {
  ours: { program: PROGRAM, title: /Prompt Manager$/ },
  empty: { program: EMPTY, title: /^Empty window$/ },
};

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Milliseconds until the window is on the screen, and until it looks as it will. */
async function appears(world, title) {
  const begun = performance.now();
  const since = () => performance.now() - begun;
  let shown;
  let last;
  let changed;
  while (since() < LIMIT_MS) {
    if (shown === undefined) {
      if ((await world.window(title))?.shown) shown = since();
      continue;
    }
    const look = await world.desk.ask('look');
    if (look !== last) [last, changed] = [look, since()];
    else if (since() - changed > REST_MS) return { shown, ready: changed };
  }
  throw new Error(`${title} did not come to rest`);
}

/** What `read` gives for each process of the start, summed by its program's name. */
function each(mark, read) {
  const sums = {};
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`PM_ROUND=${mark}\0`)) continue;
      const name = basename(readlinkSync(`/proc/${pid}/exe`));
      sums[name] = (sums[name] ?? 0) + read(`/proc/${pid}`);
    } catch (error) {
      // It has ended meanwhile, or it is a thread of the kernel.
      if (!['ENOENT', 'ESRCH', 'EACCES'].includes(error.code)) throw error;
    }
  }
  return sums;
}

/** Kilobytes that each program holds by itself (PSS). */
const memory = (mark) =>
  each(mark, (process) =>
    Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`${process}/smaps_rollup`, 'utf8'))[1]),
  );

/** Milliseconds of a processor that all of them have taken. */
function taken(mark) {
  const sums = each(mark, (process) => {
    // The name in brackets may hold anything; behind it utime and stime are the 12th and 13th.
    const fields = readFileSync(`${process}/stat`, 'utf8').split(') ').at(-1).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  });
  return Object.values(sums).reduce((sum, one) => sum + one, 0);
}

/** What they take of a second while nobody asks anything of them, in milliseconds. */
async function atRest(mark) {
  await new Promise((done) => setTimeout(done, SETTLE_MS));
  const before = taken(mark);
  await new Promise((done) => setTimeout(done, IDLE_MS));
  return ((taken(mark) - before) * 1000) / IDLE_MS;
}

async function round(world, kind, number) {
  const { program, title } = PROGRAMS[kind];
  const mark = `${kind}-${number}`;
  const child = world.launch(program, { PM_ROUND: mark });
  const times = await appears(world, title);
  const held = memory(mark);
  const idle = number === ROUNDS ? await atRest(mark) : undefined;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
  // What is measured next starts alone.
  while (Object.keys(memory(mark)).length > 0) await new Promise((next) => setImmediate(next));
  return { ...times, held, idle };
}

const world = await World.open({ driven: false });
try {
  const rounds = { ours: [], empty: [] };
  // The first start of each fills caches and the data home; it is not counted.
  for (let number = 0; number <= ROUNDS; number += 1) {
    for (const kind of Object.keys(rounds)) {
      const one = await round(world, kind, number);
      if (number > 0) rounds[kind].push(one);
    }
  }
  const result = {};
  for (const [kind, all] of Object.entries(rounds)) {
    const names = [...new Set(all.flatMap(({ held }) => Object.keys(held)))];
    result[kind] = {
      shown: median(all.map(({ shown }) => shown)),
      ready: median(all.map(({ ready }) => ready)),
      idle: all.at(-1).idle,
      kilobytes: Object.fromEntries(
        names.map((name) => [name, median(all.map(({ held }) => held[name] ?? 0))]),
      ),
    };
  }
  assert.ok(result.ours.kilobytes.pm > 0, 'the server ran');
  assert.ok(result.empty.kilobytes[basename(EMPTY)] > 0, 'the peer ran');
  console.log(JSON.stringify(result));
} finally {
  await world.close();
}
