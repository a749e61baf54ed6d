// What a client that means no good sends to /mcp: each is refused with the right code, and afterwards the
// server answers others as before.
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { variable } from './journey.mjs';

const url = new URL(variable('PM_URL'));
const authorization = `Bearer ${variable('PM_TOKEN')}`;
const REVISION = '2025-11-25';
const agent = new Agent({ keepAlive: true, maxSockets: 50 });

const heard = new WeakSet();

function send(body, { who = 'attacks', session, method = 'POST', headers = {} } = {}) {
  return new Promise((answer, fail) => {
    const options = {
      host: url.hostname,
      port: url.port,
      path: '/mcp',
      method,
      agent,
      headers: {
        authorization,
        'user-agent': who,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session && { 'mcp-session-id': session, 'mcp-protocol-version': REVISION }),
        ...headers,
      },
    };
    const asked = request(options, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () =>
        answer({
          status: response.statusCode,
          session: response.headers['mcp-session-id'],
          text: Buffer.concat(parts).toString(),
        }),
      );
      response.on('error', fail);
    });
    asked.on('error', fail);
    // A connection that is closed while one still writes says so once more after its answer.
    asked.on('socket', (socket) => {
      if (!heard.has(socket)) socket.on('error', () => {});
      heard.add(socket);
    });
    asked.end(body);
  });
}

const message = (method, params, id = 1) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
const initialize = message('initialize', {
  protocolVersion: REVISION,
  capabilities: {},
  clientInfo: { name: 'attacks', version: '1' },
});

async function open(who) {
  const { status, session } = await send(initialize, { who });
  assert.equal(status, 200);
  await send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }), { who, session });
  return session;
}

/** Somebody else is served, and soon. */
async function alive(what) {
  const begun = performance.now();
  const who = `witness of ${what}`;
  const session = await open(who);
  const { status, text } = await send(message('tools/list', {}), { who, session });
  assert.equal(status, 200, what);
  assert.ok(text.includes('"toolm"'), what);
  await send(undefined, { who, session, method: 'DELETE' });
  assert.ok(performance.now() - begun < 5000, `${what}: others wait`);
  console.log(`ok  attacks: ${what}`);
}

// Bodies beyond the limit, said and unsaid.
const large = Buffer.alloc(17 * 1024 * 1024, 0x20);
for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
  const answered = await send(large, { headers }).catch((error) => {
    // The connection may be closed while we are still writing.
    assert.ok(['ECONNRESET', 'EPIPE'].includes(error.code), error);
    return { status: 413 };
  });
  assert.equal(answered.status, 413, 'a body of 17 MiB');
}
await alive('oversized bodies');

// What is no message of the protocol, from a generator with a seed.
let seed = 20261123;
const random = (below) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed % below;
};
const pick = (list) => list[random(list.length)];
const odd = (depth = 0) =>
  pick([
    () => null,
    () => random(2) === 1,
    () => random(1e9) - 5e8,
    () => 1e308 * 10,
    () => pick(['', 'tools/call', '\u0000', '\ud800', '__proto__', 'x'.repeat(random(5000))]),
    () => (depth > 4 ? [] : Array.from({ length: random(4) }, () => odd(depth + 1))),
    () =>
      depth > 4
        ? {}
        : Object.fromEntries(
            Array.from({ length: random(5) }, () => [
              pick(['jsonrpc', 'id', 'method', 'params', 'name', 'arguments', '_meta', 'uri', 'x']),
              odd(depth + 1),
            ]),
          ),
  ])();
const session = await open('fuzz');
const methods = ['tools/call', 'tools/list', 'resources/read', 'prompts/get', 'completion/complete', 'resources/subscribe'];
for (let turn = 0; turn < 1000; turn += 1) {
  const shaped = { jsonrpc: '2.0', id: turn, method: pick(methods), params: odd() };
  const text = pick([
    () => JSON.stringify(odd()),
    () => JSON.stringify(shaped),
    () => JSON.stringify(shaped).slice(0, random(60)),
    () => `${'['.repeat(random(20000))}`,
    () => String.fromCharCode(...Array.from({ length: random(50) }, () => random(256))),
  ])();
  const { status } = await send(text, { who: 'fuzz', session });
  assert.ok(status < 500, `${status} for ${text?.slice(0, 200)}`);
}
await alive('malformed messages');

// Addresses of resources that would lead elsewhere.
for (const uri of [
  'artifact:../token',
  'artifact:..%2ftoken',
  'tool://todolist/.env',
  'tool://todolist/../../token',
  'tool://..%2f..%2f/log',
  'file:///etc/passwd',
  'tool://todolist/log\u0000',
]) {
  const { text } = await send(message('resources/read', { uri }), { who: 'fuzz', session });
  assert.ok(text.includes('"resource_not_found"'), `${uri}: ${text}`);
}
await alive('addresses that lead elsewhere');

// Sessions without end: a client has its hundred.
let opened = 0;
const floods = Array.from({ length: 50 }, async () => {
  for (let turn = 0; turn < 200; turn += 1) {
    const { status } = await send(initialize, { who: 'flood' });
    assert.ok(status === 200 || status === 429, status);
    if (status === 200) opened += 1;
  }
});
await Promise.all(floods);
assert.ok(opened > 0 && opened <= 100, `${opened} sessions`);
await alive('10,000 sessions');

// Connections that never finish what they say: heads and bodies that stop, and bodies that drip. Others are
// served meanwhile, and each is ended within the limits of the server (15 s for a head, 30 s for a body).
const LIMIT = 40_000;
const head = `POST /mcp HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: ${authorization}\r\n`;
const body = `${head}MCP-Protocol-Version: 2026-07-28\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n{"json`;
const kinds = [
  { text: head, answer: /^$/ },
  { text: body, answer: /^HTTP\/1\.1 408 / },
  // What still arrives may take the answer with it.
  { text: body, answer: /^(HTTP\/1\.1 408 |$)/, drip: true },
];
const slow = await Promise.all(
  Array.from({ length: 300 }, (_, at) => {
    const kind = kinds[at % kinds.length];
    const socket = connect(Number(url.port), url.hostname);
    let dripping;
    let text = '';
    socket.on('data', (part) => (text += part));
    // A connection that is closed while one still writes is reset.
    socket.on('error', (error) => assert.ok(['ECONNRESET', 'EPIPE'].includes(error.code), error));
    const ended = new Promise((end) =>
      socket.on('close', () => {
        clearInterval(dripping);
        end({ kind, text });
      }),
    );
    return new Promise((there) =>
      socket.on('connect', () =>
        socket.write(kind.text, () => {
          // Only now: a letter that is written before the head makes another method of it.
          if (kind.drip) dripping = setInterval(() => socket.write('x'), 1000);
          there({ ended });
        }),
      ),
    );
  }),
);
await alive('300 slow connections');
const patience = setTimeout(() => assert.fail(`slow connections are open after ${LIMIT} ms`), LIMIT);
for (const { kind, text } of await Promise.all(slow.map(({ ended }) => ended))) assert.match(text, kind.answer);
clearTimeout(patience);
await alive('slow connections, ended');
process.exit(0);
