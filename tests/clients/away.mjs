// A client of a revision with sessions loses its connection, comes back, and has missed nothing: neither the
// answer to what it had asked nor what is told by itself.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { variable } from './journey.mjs';

// What never comes must not be waited for.
setTimeout(() => assert.fail('something that was to be told was not'), 60_000).unref();

const url = new URL(variable('PM_URL'));
const REVISION = '2025-11-25';
const CHANGED = 'notifications/prompts/list_changed';
const common = {
  authorization: `Bearer ${variable('PM_TOKEN')}`,
  'user-agent': 'away',
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** The events of an answer, one after the other, until it ends or nobody wants more: then it is hung up. */
async function* events(method, { body, ...headers }) {
  const response = await new Promise((answer, fail) => {
    const options = { host: url.hostname, port: url.port, path: '/mcp', method, agent: false };
    request({ ...options, headers: { ...common, ...headers } }, answer).on('error', fail).end(body);
  });
  assert.equal(response.statusCode, 200);
  try {
    let text = '';
    for await (const part of response.setEncoding('utf8')) {
      text += part;
      for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
        const fields = text.slice(0, end).split('\n').map((line) => line.split(/: ?(.*)/s));
        const { id, data } = Object.fromEntries(fields);
        if (id !== undefined) yield { id, message: data ? JSON.parse(data) : undefined };
      }
    }
  } finally {
    response.destroy();
  }
}

/** The first event that `wanted` takes, and nothing after it. */
async function first(stream, wanted) {
  for await (const event of stream) if (wanted(event)) return event;
  assert.fail('the stream ended before');
}

const message = (method, params, id) => JSON.stringify({ jsonrpc: '2.0', id, method, params });

async function post(body, headers = {}) {
  const answer = await fetch(new URL('/mcp', url), { method: 'POST', body, headers: { ...common, ...headers } });
  assert.ok(answer.ok, `${answer.status}`);
  await answer.text();
  return answer.headers.get('mcp-session-id');
}

const clientInfo = { name: 'away', version: '1' };
const id = await post(message('initialize', { protocolVersion: REVISION, capabilities: {}, clientInfo }, 1));
const session = { 'mcp-session-id': id, 'mcp-protocol-version': REVISION };
await post(message('notifications/initialized'), session);

// A call, left after the first event and before its answer; taken up twice, the second time long after it.
const code = 'await new Promise((done) => setTimeout(done, 300)); return { seven: 7 };';
const body = message('tools/call', { name: 'run_javascript', arguments: { code } }, 2);
const begun = await first(events('POST', { ...session, body }), () => true);
assert.equal(begun.message, undefined, 'it opens with an event that says nothing');
for (const time of ['while it runs', 'when it is done']) {
  const heard = [];
  for await (const event of events('GET', { ...session, 'last-event-id': begun.id })) heard.push(event);
  assert.equal(heard.length, 1, `${time}: the answer, and then the stream ends`);
  assert.equal(heard[0].message.id, 2);
  assert.ok(heard[0].message.result.content[0].text.includes('"seven":7'), time);
}
for (const unknown of ['nothing/7', 'x']) {
  const heard = [];
  for await (const event of events('GET', { ...session, 'last-event-id': unknown })) heard.push(event);
  assert.deepEqual(heard, [], 'an event that is not kept leads nowhere, and not to the same again');
}

// What is told by itself, of lists that were asked for.
await post(message('prompts/list', {}, 3), session);
const add = (name) => {
  const prompt = `name: ${name}\nmessages: [{ role: user, content: { text: hello } }]\n`;
  writeFileSync(join(variable('PM_DATA_HOME'), 'prompts', `${name}.yaml`), prompt);
};
const opened = await first(events('GET', session), () => true);
const listening = events('GET', { ...session, 'last-event-id': opened.id });
const hears = first(listening, ({ message }) => message?.method === CHANGED);
add('away-one');
const told = await hears;
add('away-two');
const again = await first(
  events('GET', { ...session, 'last-event-id': told.id }),
  ({ message }) => message?.method === CHANGED,
);
assert.notEqual(again.id, told.id);

console.log('ok  away: a lost connection loses nothing');
