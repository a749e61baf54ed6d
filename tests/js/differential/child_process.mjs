// Programs that are started: what comes of them in every form, and what is refused before.
import { exec, execFile, execFileSync, execSync, spawn, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { args, check, checkLater, random } from './cases.mjs';

// Where the suite finds its programs is not to be seen behind the walls.
process.env.PATH = '/usr/bin:/bin';
const rng = random(23);
const plain = () => rng.times(rng.int(0, 12), () => rng.pick([...'abcXYZ019 ._-=:,', 'é', '中', '🦀'])).join('');
const words = () => rng.times(rng.int(0, 4), plain);
const bytes = () => Buffer.from(rng.bytes(rng.pick([0, 1, 10, 1000, 65536, 200_000, 700_000])));
/** What is left of an end that is the same everywhere. */
const end = ({ status, signal, stdout, stderr, output, error }) => ({ status, signal, stdout, stderr, streams: output?.length, error: error && [error.code, error.errno, error.syscall, error.path, error.spawnargs, error.message] });
const why = (error) => [error.name, error.message, error.code, error.errno, error.syscall, error.path, error.spawnargs, error.killed, error.signal, error.cmd, error.status, error.stdout, error.stderr];
const said = async (work) => {
  try {
    return await work();
  } catch (error) {
    return why(error);
  }
};

for (let n = 0; n < 60; n++) {
  const [given, code] = [words(), rng.int(0, 200)];
  const script = `printf '%s|' "$@"; printf '%s' "$#" >&2; exit ${code}`;
  check(`spawnSync ${n} ${args(given)}`, () => end(spawnSync('sh', ['-c', script, 'sh', ...given], { encoding: 'utf8' })));
}
// Every byte there and back, in order, over each form.
for (let n = 0; n < 40; n++) {
  const input = bytes();
  check(`cat sync ${n}`, () => execFileSync('cat', { input, maxBuffer: 1e7 }).equals(input));
  await checkLater(`cat ${n}`, async () => {
    const child = spawn('cat');
    const parts = [];
    child.stdout.on('data', (part) => parts.push(part));
    for (let at = 0; at < input.length; ) {
      const size = rng.int(1, 100_000);
      child.stdin.write(input.subarray(at, at + size));
      at += size;
    }
    child.stdin.end();
    const ended = await new Promise((resolve) => child.on('close', (...how) => resolve(how)));
    return [Buffer.concat(parts).equals(input), ended, child.exitCode, child.signalCode, child.killed];
  });
}
for (let n = 0; n < 30; n++) {
  const text = plain();
  const [code, shell] = [rng.pick([0, 0, 1, 3, 77]), `printf '%s' "$TEXT"; printf err >&2; exit `];
  const options = { env: { ...process.env, TEXT: text }, encoding: rng.pick(['utf8', 'latin1', 'hex', 'buffer']) };
  await checkLater(`exec ${n}`, () => said(() => promisify(exec)(`${shell}${code}`, options)));
  await checkLater(`execFile ${n}`, () => said(() => promisify(execFile)('sh', ['-c', `${shell}${code}`], options)));
  check(`execSync ${n}`, () => {
    try {
      return execSync(`${shell}${code}`, { ...options, stdio: 'pipe' });
    } catch (error) {
      return why(error);
    }
  });
}
for (const options of [{}, { cwd: '/' }, { cwd: '/usr' }, { cwd: '/not/there' }, { shell: true }, { shell: '/bin/sh' }, { argv0: 'other' }, { stdio: 'ignore' }, { stdio: ['ignore', 'pipe', 'ignore'] }, { stdio: [null, undefined, 'pipe'] }, { env: {} }, { env: { A: undefined, B: 1, PATH: '/usr/bin:/bin' } }, { windowsHide: true }, { input: 'x', stdio: 'pipe' }]) {
  check(`spawnSync sh ${args(options)}`, () => end(spawnSync('sh', ['-c', 'pwd; echo $B; cat'], { encoding: 'utf8', input: '', ...options })));
  await checkLater(`spawn sh ${args(options)}`, async () => {
    const child = spawn('sh', ['-c', 'echo "$B"'], options);
    const events = [];
    let out = '';
    child.stdout?.setEncoding('utf8').on('data', (part) => (out += part));
    child.stdin?.on('error', () => {}).end();
    for (const name of ['spawn', 'error', 'exit', 'close']) child.on(name, (...how) => events.push([name, ...how.map((one) => one?.code ?? one)]));
    await new Promise((resolve) => child.on('close', resolve));
    return [events, out, child.stdio.map(Boolean), child.spawnfile, child.spawnargs, child.connected];
  });
}
// Ended by somebody else.
for (const signal of ['SIGTERM', 'SIGKILL', 'SIGINT', 9, 15, undefined]) {
  await checkLater(`kill ${args(signal)}`, async () => {
    const child = spawn('sleep', ['60']);
    const ended = new Promise((resolve) => child.on('exit', (...how) => resolve(how)));
    return [child.kill(0), child.killed, child.kill(signal), child.killed, await ended, child.kill(), child.exitCode, child.signalCode];
  });
  check(`time-out ${args(signal)}`, () => end(spawnSync('sleep', ['60'], { timeout: 50, killSignal: signal })));
}
await checkLater('exec over its time', () => said(() => promisify(exec)('sleep 60', { timeout: 50 })));
await checkLater('exec with too much output', () => said(() => promisify(exec)('yes', { maxBuffer: 100 })));
await checkLater('execFile with too many errors', () => said(() => promisify(execFile)('sh', ['-c', 'yes >&2'], { maxBuffer: 100 })));
check('spawnSync with too much output', () => [spawnSync('yes', { maxBuffer: 100 })].map(({ error, signal, status }) => [error.code, error.errno, error.message, signal, status]));
await checkLater('called off', async () => {
  const stop = new AbortController();
  const running = said(() => promisify(execFile)('sleep', ['60'], { signal: stop.signal }));
  stop.abort();
  return (await running).slice(0, 3);
});
await checkLater('called off before', () => said(() => promisify(exec)('sleep 60', { signal: AbortSignal.abort() })).then((one) => one.slice(0, 3)));
// Nobody reads, and it ends all the same.
await checkLater('nobody reads', () => new Promise((resolve) => spawn('sh', ['-c', 'yes | head -c 10000']).on('close', (...how) => resolve(how))));
for (const name of ['no-such-program', './no-such-program', '/usr', '/etc/passwd', '/etc/passwd/x']) {
  check(`spawnSync ${name}`, () => end(spawnSync(name, ['a'])));
  await checkLater(`execFile ${name}`, () => said(() => promisify(execFile)(name, ['a'])));
  check(`execFileSync ${name}`, () => {
    try {
      return execFileSync(name, ['a']);
    } catch (error) {
      return [error.code, error.message, error.status];
    }
  });
}
// Refused before anything is asked.
const odd = [undefined, null, 1, '', 'a\0b', {}, [], true, Symbol('x')];
for (const one of odd) for (const [name, call] of Object.entries({ spawn, spawnSync, execFileSync, execSync })) check(`${name}(${args(one)})`, () => void call(one));
for (const options of [{ stdio: 'odd' }, { timeout: 'x' }, { timeout: -1 }, { timeout: 1.5 }, { maxBuffer: 'x' }, { maxBuffer: -1 }, { killSignal: 'SIGNOT' }, { killSignal: 999 }, { cwd: 1 }, { shell: 1 }, null, 1, 'x']) {
  check(`spawnSync options ${args(options)}`, () => end(spawnSync('true', [], options)));
}
for (const list of ['x', 1, true]) check(`spawnSync args ${args(list)}`, () => end(spawnSync('true', list)));
for (const input of [1, {}, true]) check(`spawnSync input ${args(input)}`, () => end(spawnSync('cat', { input })));
for (const done of [1, 'x', {}]) check(`execFile callback ${args(done)}`, () => void execFile('true', [], {}, done));
