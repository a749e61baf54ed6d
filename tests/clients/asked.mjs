// What a tool cannot run without is asked of the person by her client: each generation of the TypeScript SDK,
// each revision of the protocol, over HTTP. Secrets are not asked for.
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client as Modern, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as Classic } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as ClassicTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { variable } from './journey.mjs';

const TOOL = `export default {
  getSchema: () => ({
    parameters: { type: 'object', properties: {} },
    environment: {
      properties: { HOST: { type: 'string', description: 'Server' }, PORT: { type: 'integer' }, API_KEY: { type: 'string' } },
      required: ['HOST', 'PORT', 'API_KEY'],
    },
  }),
  async execute() {
    const [host, port] = ['HOST', 'PORT'].map((name) => this.api.environment.get(name));
    if (!host) throw new Error('no server is set');
    return { reached: host + ':' + port };
  },
};`;

const url = new URL('/mcp', variable('PM_URL'));
const options = { requestInit: { headers: { Authorization: `Bearer ${variable('PM_TOKEN')}` } } };
const who = { name: 'asked', version: '1.0.0' };
const forms = { capabilities: { elicitation: { form: {} } } };

const clients = [
  {
    name: 'client 2, newest revision',
    open: (options) => new Modern(who, { ...options, versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    transport: () => new ModernTransport(url, options),
    answer: (client, handler) => client.setRequestHandler('elicitation/create', handler),
  },
  {
    name: 'client 2, initialize',
    open: (options) => new Modern(who, options),
    transport: () => new ModernTransport(url, options),
    answer: (client, handler) => client.setRequestHandler('elicitation/create', handler),
  },
  {
    name: 'sdk 1',
    open: (options) => new Classic(who, options),
    transport: () => new ClassicTransport(url, options),
    answer: (client, handler) => client.setRequestHandler(ElicitRequestSchema, handler),
  },
];

let turn = 0;
for (const { name, open, transport, answer } of clients) {
  const tool = `asking${(turn += 1)}`;
  const folder = join(variable('PM_DATA_HOME'), 'toolbox', tool);
  await mkdir(folder);
  await writeFile(join(folder, `${tool}.tool.js`), TOOL);
  const call = { name: 'toolm', arguments: { yaml: `tool: tool://${tool}` } };

  // A client without forms gets the tool's own error, and what is missing.
  const plain = open({});
  await plain.connect(transport());
  const refused = await plain.callTool(call);
  assert.equal(refused.isError, true);
  for (const part of ['no server is set', '`HOST`, `PORT`, `API_KEY`']) {
    assert.ok(refused.content[0].text.includes(part), refused.content[0].text);
  }
  await plain.close();

  const client = open(forms);
  const asked = [];
  answer(client, ({ params }) => {
    asked.push(params);
    return asked.length === 1
      ? { action: 'decline' }
      : { action: 'accept', content: { HOST: 'example.org', PORT: 4000 + turn } };
  });
  await client.connect(transport());
  const declined = await client.callTool(call);
  assert.equal(declined.isError, true, 'it runs as it is, and fails');
  const done = await client.callTool(call);
  assert.ok(!done.isError, JSON.stringify(done));
  assert.equal(JSON.parse(done.content[0].text).result.reached, `example.org:${4000 + turn}`);
  assert.equal(asked.length, 2);
  for (const { message, requestedSchema } of asked) {
    assert.deepEqual(Object.keys(requestedSchema.properties), ['HOST', 'PORT']);
    assert.ok(message.includes(tool) && message.includes('API_KEY'), message);
  }
  assert.match(await readFile(join(folder, '.env'), 'utf8'), /HOST=.*example\.org/);

  // What is set is not asked for again.
  await client.callTool(call);
  assert.equal(asked.length, 2);
  await client.close();
  console.log(`ok  ${name}: asked for what a tool lacks`);
}
process.exit(0);
