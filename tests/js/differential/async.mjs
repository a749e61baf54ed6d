// async: where the store of an AsyncLocalStorage goes, in random programs of what runs later.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { EventEmitter, EventEmitterAsyncResource } from 'node:events';
import { finished } from 'node:stream/promises';
import { check, checkLater, random } from './cases.mjs';

const rng = random(11);
const later = (ms = 1) => new Promise((done) => setTimeout(done, ms));

// One statement of a program. Each body writes what it sees; what is written is compared in order.
const KINDS = [
  'see', 'see', 'awaitValue', 'awaitValue', 'awaitPromise', 'awaitPending', 'awaitShared', 'awaitThenable', 'awaitSubclass', 'awaitThrown', 'awaitSubclassThrown', 'awaitLaterThrown', 'awaitAsync', 'awaitAll', 'awaitRace',
  'then', 'thenLater', 'catch', 'finally', 'microtask', 'tick', 'timeout', 'immediate', 'run', 'run', 'runAsync', 'runUnawaited', 'exit', 'enterWith', 'snapshot', 'bind', 'emitter', 'resource', 'generator', 'forAwait', 'resolver', 'shared',
];
class Sub extends Promise {}
const program = (depth) => rng.times(rng.int(1, 4), () => {
  const kind = rng.pick(KINDS);
  return { kind, value: rng.int(1, 99), which: rng.int(0, 1), body: depth > 0 ? program(depth - 1) : [{ kind: 'see', value: rng.int(100, 999), which: 0, body: [] }] };
});

async function execute(steps) {
  const storages = [new AsyncLocalStorage(), new AsyncLocalStorage()];
  const seen = [];
  const ends = [];
  const shared = later(2).then(() => 'shared');
  const failing = later(2).then(() => {
    throw new Error('shared');
  });
  failing.catch(() => {});
  const see = (what) => seen.push(`${what}:${storages.map((one) => one.getStore() ?? '-').join('/')}`);
  const go = async (list) => {
    for (const one of list) await step(one);
  };
  // Bodies are started where they are, and waited for at the end alone.
  const start = (list, what) => {
    see(what);
    ends.push(go(list).then(() => see(`${what} end`)));
  };
  const step = async ({ kind, value, which, body }) => {
    const storage = storages[which];
    const what = `${kind}${value}`;
    if (kind === 'see') see(what);
    else if (kind === 'awaitValue') await value;
    else if (kind === 'awaitPromise') await Promise.resolve(value);
    else if (kind === 'awaitPending') await later();
    else if (kind === 'awaitShared') await shared;
    else if (kind === 'awaitThenable') await { then: (done) => void setTimeout(done, 1) };
    else if (kind === 'awaitSubclass') await Sub.resolve(value);
    else if (kind === 'awaitThrown') await Promise.reject(new Error('x')).catch(() => see(what));
    else if (kind === 'awaitSubclassThrown') {
      try {
        await storages[0].run('in', () => new Sub((_, no) => void setTimeout(no, 1)));
      } catch {
        see(what);
      }
    } else if (kind === 'awaitLaterThrown') {
      try {
        await failing;
      } catch {
        see(what);
      }
    } else if (kind === 'awaitAsync') await go(body);
    else if (kind === 'awaitAll') await Promise.all([later(), go(body), value]);
    else if (kind === 'awaitRace') {
      const slow = go(body);
      ends.push(slow);
      await Promise.race([value, slow]);
    }
    else if (kind === 'then') Promise.resolve().then(() => start(body, what));
    else if (kind === 'thenLater') ends.push(shared.then(() => start(body, what)));
    else if (kind === 'catch') ends.push(failing.catch(() => start(body, what)));
    else if (kind === 'finally') ends.push(shared.finally(() => start(body, what)));
    else if (kind === 'microtask') queueMicrotask(() => start(body, what));
    else if (kind === 'tick') ends.push(new Promise((done) => process.nextTick(() => done(start(body, what)))));
    else if (kind === 'timeout') ends.push(new Promise((done) => setTimeout(() => done(start(body, what)), 1)));
    else if (kind === 'immediate') ends.push(new Promise((done) => setImmediate(() => done(start(body, what)))));
    else if (kind === 'run') storage.run(value, () => start(body, what));
    else if (kind === 'runAsync') await storage.run(value, () => go(body));
    else if (kind === 'runUnawaited') ends.push(storage.run(value, () => go(body)));
    else if (kind === 'exit') storage.exit(() => see(what));
    else if (kind === 'enterWith') storage.enterWith(value);
    else if (kind === 'snapshot') {
      const inside = storage.run(value, () => AsyncLocalStorage.snapshot());
      await later();
      inside(() => start(body, what));
    } else if (kind === 'bind') {
      const bound = storage.run(value, () => AsyncLocalStorage.bind(() => start(body, what)));
      await value;
      bound();
    } else if (kind === 'emitter') {
      const emitter = which ? storage.run(value, () => new EventEmitterAsyncResource({ name: 'E' })) : new EventEmitter();
      emitter.on('x', () => start(body, what));
      await value;
      emitter.emit('x');
    } else if (kind === 'resource') {
      const resource = storage.run(value, () => new AsyncResource('R'));
      await later();
      resource.runInAsyncScope(() => start(body, what));
    } else if (kind === 'generator') {
      const made = (async function* () {
        see(what);
        yield await value;
        see(what);
        yield later();
        see(what);
      })();
      for await (const _ of made) see(`${what} in`);
    } else if (kind === 'forAwait') {
      for await (const _ of [later(), value, shared]) see(what);
    } else if (kind === 'resolver') {
      const { promise, resolve } = Promise.withResolvers();
      storage.run(value, () => setTimeout(resolve, 1));
      await promise;
    } else if (kind === 'shared') {
      ends.push(Promise.all([1, 2, 3].map((at) => storage.run(at, async () => {
        await shared;
        see(`${what} ${at}`);
        await at;
        see(`${what} ${at} end`);
      }))));
    }
    see(what);
  };
  await go(steps);
  for (let at = 0; at < ends.length; at++) await ends[at];
  // Timers of one and the same time have no order that is promised; what each saw has.
  return seen.sort();
}

// What waits since before the first store of all has none here; in Node it has what is there by chance.
new AsyncLocalStorage().run(0, () => {});
for (let n = 0; n < 600; n++) {
  const steps = program(2);
  await checkLater(`program ${n}`, () => execute(steps));
}

check('members', () => ['run', 'exit', 'enterWith', 'getStore', 'disable'].map((name) => typeof AsyncLocalStorage.prototype[name]));
check('what run gives back', () => new AsyncLocalStorage().run(1, (...args) => args, 2, 3));
check('run throws', () => {
  const storage = new AsyncLocalStorage();
  try {
    storage.run(1, () => {
      throw new Error('x');
    });
  } catch {
    return storage.getStore();
  }
});
check('disable', () => {
  const storage = new AsyncLocalStorage();
  storage.enterWith(1);
  const before = storage.getStore();
  storage.disable();
  return [before, storage.getStore()];
});
check('bind keeps this and length', () => {
  const bound = AsyncResource.bind(function (a, b) {
    return [this?.x, a, b];
  });
  return [bound.length, bound.call({ x: 1 }, 2, 3), new AsyncResource('T').bind(function () { return this; }, 7)()];
});
check('a type that is no text', () => new AsyncResource());
check('bind of nothing', () => AsyncResource.bind(1));
check('a promise looks as before', () => [Promise.prototype.constructor === Promise, Promise.resolve(1).constructor.name, Object.keys(Promise.prototype), Promise.prototype.then.length, Promise.prototype.then.name, Promise.resolve.name, queueMicrotask.name]);
await checkLater('the order of what runs later', async () => {
  const order = [];
  const storage = new AsyncLocalStorage();
  await storage.run(1, async () => {
    const one = (async () => { order.push(1); await null; order.push(2); await Promise.resolve(); order.push(3); await new Promise((done) => done()); order.push(4); return Promise.resolve(); })().then(() => order.push(5));
    const two = (async () => { order.push('a'); await { then: (done) => done() }; order.push('b'); await Sub.resolve(); order.push('c'); })().then(() => order.push('d'));
    Promise.resolve().then(() => order.push('x')).then(() => order.push('y')).then(() => order.push('z'));
    queueMicrotask(() => order.push('m'));
    await Promise.all([one, two]);
  });
  return order;
});

// Node's streams and the web's: whoever waits for the end of one hears of it, locked or not.
const ends = {
  'read to its end': () => { const stream = new ReadableStream({ start(c) { c.enqueue('a'); c.close(); } }); return [stream, async () => { for await (const _ of stream); }]; },
  'closed before': () => [new ReadableStream({ start(c) { c.close(); } }), async () => {}],
  'fails': () => { let at; const stream = new ReadableStream({ start(c) { at = c; } }); return [stream, async () => at.error(new TypeError('mine'))]; },
  'failed before': () => [new ReadableStream({ start(c) { c.error(new TypeError('mine')); } }), async () => {}],
  'is cancelled': () => { const stream = new ReadableStream(); return [stream, async () => void await stream.cancel('why')]; },
  'is locked and cancelled': () => { const stream = new ReadableStream({ type: 'bytes' }); return [stream, async () => void await stream.getReader().cancel()]; },
  'written to its end': () => { const stream = new WritableStream(); return [stream, async () => { const writer = stream.getWriter(); await writer.write('a'); await writer.close(); }]; },
  'is aborted': () => { const stream = new WritableStream(); return [stream, async () => void await stream.abort(new RangeError('enough'))]; },
  'cannot write': () => { const stream = new WritableStream({ write() { throw new TypeError('full'); } }); return [stream, async () => { await stream.getWriter().write('a').catch(() => {}); }]; },
};
for (const [name, make] of Object.entries(ends)) {
  await checkLater(`finished: ${name}`, async () => {
    const [stream, go] = make();
    const came = finished(stream).then(() => 'ended', (error) => [error?.name, error?.message]);
    await go();
    return [await came, await finished(stream).then(() => 'ended', (error) => [error?.name, error?.message])];
  });
}
