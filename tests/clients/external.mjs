// A server of MCP from npm as an external server: added with `pm`, started in the sandbox, called by a real
// client through our endpoint, which hears its progress and sees its pictures.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { variable } from './journey.mjs';

const home = variable('PM_DATA_HOME');
const program = variable('PM_PROGRAM');
const run = promisify(execFile);
const pm = async (...words) => JSON.parse((await run(program, ['--home', home, '--json', ...words])).stdout);

const modules = join(dirname(fileURLToPath(import.meta.url)), 'node_modules');
const script = join(modules, '@modelcontextprotocol', 'server-everything', 'dist', 'index.js');
const node = realpathSync(process.execPath);
// What is not of the system lies where nobody sees it.
const own = node.startsWith('/usr/') ? [] : ['--dir', dirname(dirname(node))];
const added = await pm('server', 'add', 'every', '--dir', modules, ...own, '--', node, script, 'stdio');
const [{ server }] = added.servers;
assert.equal(server.state, 'running', JSON.stringify(server));
assert.ok(server.offered >= 10, JSON.stringify(server));

const client = new Client({ name: 'journey', version: '1.0.0' });
const transport = new StdioClientTransport({
  command: program,
  args: ['--home', home, 'mcp', '--client', 'journey'],
  stderr: 'inherit',
});
await client.connect(transport);
/** What came, in the order in which it came. */
const come = [];
const take = transport.onmessage;
transport.onmessage = (message, extra) => {
  come.push(message);
  take(message, extra);
};
const { tools } = await client.listTools();
const names = new Set(tools.map(({ name }) => name));
for (const name of ['every__echo', 'every__get-sum', 'every__get-structured-content']) {
  assert.ok(names.has(name), [...names].join(' '));
}
const call = (name, args, options) => client.callTool({ name: `every__${name}`, arguments: args }, options);

const sum = await call('get-sum', { a: 2, b: 40 });
assert.match(sum.content[0].text, /42/);

const image = await call('get-tiny-image', {});
const picture = image.content.find(({ type }) => type === 'image');
assert.equal(Buffer.from(picture.data, 'base64').subarray(1, 4).toString(), 'PNG');

const weather = await call('get-structured-content', { location: 'New York' });
assert.equal(typeof weather.structuredContent.temperature, 'number', JSON.stringify(weather));

// Read from the pipe: the server says its last step and its answer at once, and a client that reads both in one
// piece forgets its listener at the answer before it has told it of the step.
come.length = 0;
const listened = [];
const long = await call(
  'trigger-long-running-operation',
  { duration: 1, steps: 3 },
  { onprogress: ({ progress, total }) => listened.push([progress, total]) },
);
assert.ok(!long.isError, JSON.stringify(long));
const answer = come.findIndex((message) => 'result' in message);
const steps = come
  .slice(0, answer)
  .filter(({ method }) => method === 'notifications/progress')
  .map(({ params }) => [params.progress, params.total]);
assert.deepEqual(steps.at(-1), [3, 3], JSON.stringify(come));
assert.ok(listened.length >= steps.length - 1 && listened.length > 0, JSON.stringify(listened));

const stop = new AbortController();
const endless = call(
  'trigger-long-running-operation',
  { duration: 600, steps: 6000 },
  { signal: stop.signal, onprogress: () => stop.abort('enough') },
);
await assert.rejects(endless, 'it was called off');

await pm('server', 'disable', 'every');
const after = await client.listTools();
assert.ok(!after.tools.some(({ name }) => name.startsWith('every__')));
await client.close();
console.log(`ok  server-everything through our endpoint: ${server.offered} tools`);
process.exit(0);
