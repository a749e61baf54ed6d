// Who is let in, said in plain HTTP: tokens, foreign pages, foreign names for this machine.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { variable } from './journey.mjs';

const url = new URL(variable('PM_URL'));
const token = variable('PM_TOKEN');

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'http', version: '1' } },
});

// node:http, because fetch does not let one lie about Host and Origin.
function send(path, { method = 'POST', body = initialize, ...headers }) {
  const set = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  return new Promise((answer, fail) => {
    const options = {
      host: url.hostname,
      port: url.port,
      path,
      method,
      agent: false,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...set },
    };
    request(options, (response) => {
      response.resume();
      response.on('end', () => answer(response.statusCode));
      response.on('error', fail);
    })
      .on('error', fail)
      .end(method === 'POST' ? body : undefined);
  });
}

const good = `Bearer ${token}`;
const cases = [
  ['the token', 200, { authorization: good }],
  ['no token', 401, {}],
  ['a wrong token', 401, { authorization: 'Bearer wrong' }],
  ['a token that is longer', 401, { authorization: `${good}x` }],
  ['an empty token', 401, { authorization: 'Bearer ' }],
  ['another scheme', 401, { authorization: `Basic ${Buffer.from(`pm:${token}`).toString('base64')}` }],
  ['a foreign page', 403, { authorization: good, origin: 'https://example.org' }],
  ['a page without an origin', 403, { authorization: good, origin: 'null' }],
  ['another port of this machine', 403, { authorization: good, origin: 'http://127.0.0.1:1' }],
  ['a foreign name', 403, { authorization: good, host: 'example.org' }],
  ['a foreign name with our port', 403, { authorization: good, host: `example.org:${url.port}` }],
  ['our own page', 200, { authorization: good, origin: url.origin }],
];

for (const [name, expected, headers] of cases) {
  assert.equal(await send('/mcp', headers), expected, `/mcp, ${name}`);
}

// The other doors have the same locks.
assert.equal(await send('/api/tool.list', { body: '{}' }), 401, '/api without a token');
assert.equal(
  await send('/api/tool.list', { body: '{}', authorization: good, origin: 'https://example.org' }),
  403,
  '/api from a foreign page',
);
assert.equal(await send('/api/tool.list', { body: '{}', authorization: good, host: 'example.org' }), 403, '/api, foreign Host');
assert.equal(await send('/health', { method: 'GET' }), 200, '/health says nothing that needs a token');

console.log(`ok  http: ${cases.length + 4} requests`);
