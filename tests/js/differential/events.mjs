// events: emitters driven by random steps.
import events, { EventEmitter, once, on } from 'node:events';
import { args, check, checkLater, random } from './cases.mjs';

const rng = random(5);
const NAMES = ['a', 'b', 'error', 'newListener', 'removeListener', 's'];
const symbol = Symbol('sym');
for (let n = 0; n < 400; n++) {
  const steps = rng.times(rng.int(1, 9), () => [rng.pick(['on', 'on', 'once', 'once', 'emit', 'emit', 'emit', 'off', 'prependListener', 'prependOnceListener', 'removeAllListeners', 'listenerCount', 'eventNames', 'rawListeners', 'setMaxListeners', 'listeners']), rng.chance(0.05) ? symbol : rng.pick(NAMES), rng.int(0, 3)]);
  check(args(...steps), () => {
    const emitter = new EventEmitter(rng.chance(0.2) ? { captureRejections: true } : undefined);
    const heard = [];
    const listeners = rng.times(4, (at) => function (...given) {
      heard.push([at, this === emitter, given.map((one) => (typeof one === 'function' ? one.name : one))]);
      if (at === 3) emitter.off('a', listeners[0]);
    });
    const came = steps.map(([step, name, number]) => {
      try {
        if (step === 'emit') return emitter.emit(name, ...(name === 'error' ? [rng.pick([new Error('boom'), 'text', undefined, { x: 1 }])] : [number, 'x']));
        if (step === 'removeAllListeners') return emitter.removeAllListeners(...(number === 0 ? [] : [name])) === emitter;
        if (step === 'setMaxListeners') return emitter.setMaxListeners(number).getMaxListeners();
        if (step === 'eventNames') return emitter.eventNames();
        if (step === 'listenerCount') return [emitter.listenerCount(name), emitter.listenerCount(name, listeners[number])];
        if (step === 'rawListeners' || step === 'listeners') return emitter[step](name).map((one) => [one.name, typeof one.listener, listeners.indexOf(one.listener ?? one)]);
        return emitter[step](name, listeners[number]) === emitter;
      } catch (error) {
        return [error.name, error.code, error.code ? error.message : '', error.context];
      }
    });
    return [came, heard];
  });
}
for (const odd of [undefined, null, 1, 'x', {}, []]) {
  for (const name of ['on', 'once', 'off', 'prependListener', 'prependOnceListener', 'addListener', 'removeListener']) check(`${name}(${args(odd)})`, () => new EventEmitter()[name]('a', odd));
  check(`setMaxListeners(${args(odd)})`, () => new EventEmitter().setMaxListeners(odd).getMaxListeners());
  check(`emit error ${args(odd)}`, () => new EventEmitter().emit('error', odd));
  check(`events.setMaxListeners(${args(odd)})`, () => events.setMaxListeners(odd));
}
check('members of the prototype', () => Object.keys(EventEmitter.prototype));
check('members of the class', () => ['once', 'on', 'getEventListeners', 'EventEmitter', 'usingDomains', 'captureRejectionSymbol', 'captureRejections', 'EventEmitterAsyncResource', 'errorMonitor', 'defaultMaxListeners', 'setMaxListeners', 'listenerCount', 'init', 'addAbortListener', 'getMaxListeners'].map((name) => [name, typeof events[name]]));
check('default limit', () => {
  const before = EventEmitter.defaultMaxListeners;
  EventEmitter.defaultMaxListeners = 3;
  const came = new EventEmitter().getMaxListeners();
  EventEmitter.defaultMaxListeners = before;
  return [before, came];
});
for (const bad of [-1, NaN, '1', undefined]) check(`defaultMaxListeners = ${args(bad)}`, () => { EventEmitter.defaultMaxListeners = bad; });
check('errorMonitor', () => {
  const emitter = new EventEmitter();
  const heard = [];
  emitter.on(events.errorMonitor, (error) => heard.push(error.message));
  try {
    emitter.emit('error', new RangeError('seen'));
  } catch (error) {
    heard.push(error.name);
  }
  return heard;
});
check('a function of old', () => {
  function Old() { EventEmitter.call(this); }
  Object.setPrototypeOf(Old.prototype, EventEmitter.prototype);
  const old = new Old();
  const heard = [];
  old.on('x', (...given) => heard.push(given));
  return [old.emit('x', 1, 2, 3, 4, 5), heard, Object.keys(old), EventEmitter.listenerCount(old, 'x'), events.getEventListeners(old, 'x').length];
});
for (let n = 0; n < 40; n++) {
  const fails = rng.chance(0.3);
  await checkLater(`once ${n} ${fails}`, async () => {
    const emitter = new EventEmitter();
    setTimeout(() => emitter.emit(fails ? 'error' : 'a', fails ? Object.assign(new Error('x'), { code: 'E1' }) : n, 2), 0);
    return once(emitter, 'a');
  });
}
for (const aborted of [true, false]) {
  await checkLater(`once with a signal ${aborted}`, () => {
    const controller = new AbortController();
    if (aborted) controller.abort();
    else setTimeout(() => controller.abort('why'), 0);
    return once(new EventEmitter(), 'a', { signal: controller.signal });
  });
}
await checkLater('on', async () => {
  const emitter = new EventEmitter();
  const heard = [];
  setTimeout(() => {
    for (let n = 0; n < 4; n++) emitter.emit('a', n);
  }, 0);
  for await (const [value] of on(emitter, 'a')) {
    heard.push(value);
    if (value === 3) break;
  }
  return [heard, emitter.listenerCount('a'), emitter.listenerCount('error')];
});
await checkLater('captureRejections', async () => {
  const emitter = new EventEmitter({ captureRejections: true });
  emitter.on('a', async () => { throw new Error('from async'); });
  const heard = once(emitter, 'error').then(() => 'no', (error) => error.message);
  const listened = new Promise((resolve) => emitter.on('error', (error) => resolve(error.message)));
  emitter.emit('a');
  return Promise.race([listened, heard]);
});
check('EventTarget', () => {
  const target = new EventTarget();
  const heard = [];
  const listener = (event) => heard.push([event.type, event.detail, event.target === target, event.eventPhase, event.cancelable]);
  target.addEventListener('x', listener);
  target.addEventListener('x', listener);
  target.addEventListener('x', { handleEvent: (event) => { heard.push('object'); event.preventDefault(); } }, { once: true });
  const first = target.dispatchEvent(new CustomEvent('x', { detail: 7, cancelable: true }));
  const second = target.dispatchEvent(new Event('x'));
  target.removeEventListener('x', listener);
  return [first, second, target.dispatchEvent(new Event('x')), heard];
});
