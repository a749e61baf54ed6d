// `pm mcp` as clients start it themselves: both generations of the TypeScript SDK walk the journey over
// its pipes; then progress, a call that is called off, and a picture.
import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client as Modern } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as Classic } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as ClassicTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { variable, walk } from './journey.mjs';

const home = variable('PM_DATA_HOME');
const started = { command: variable('PM_PROGRAM'), args: ['--home', home, 'mcp', '--client', 'journey'] };
const who = { name: 'journey', version: '1.0.0' };

const clients = [
  {
    name: 'client 2, newest revision',
    open: () => new Modern(who, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    Transport: ModernTransport,
    call: (client, params, options) => client.callTool(params, options),
  },
  {
    name: 'client 2, initialize',
    open: () => new Modern(who),
    Transport: ModernTransport,
    call: (client, params, options) => client.callTool(params, options),
  },
  {
    name: 'sdk 1',
    open: () => new Classic(who),
    Transport: ClassicTransport,
    call: (client, params, options) => client.callTool(params, undefined, options),
  },
];

const STEPPING = `export default {
  getMetadata: () => ({ name: 'stepping', version: '1.0.0', description: 'Says how far it is' }),
  getSchema: () => ({ parameters: { type: 'object', properties: { ms: { type: 'integer' } }, required: ['ms'] } }),
  async execute({ ms }) {
    for (let step = 1; step <= 3; step += 1) {
      this.api.progress(step, 3, 'step ' + step);
      await new Promise((done) => setTimeout(done, ms));
    }
    return 'done';
  },
};`;

const stepping = (ms) => ({
  name: 'toolm',
  arguments: { yaml: `tool: tool://stepping\nparameters:\n  ms: ${ms}` },
});

/** Progress as the tool says it, and a call that its client calls off. */
async function checkLongCalls(client, call) {
  const folder = join(home, 'toolbox', 'stepping');
  await mkdir(folder);
  await writeFile(join(folder, 'stepping.tool.js'), STEPPING);
  const seen = [];
  const result = await call(client, stepping(300), { onprogress: ({ progress, total }) => seen.push([progress, total]) });
  assert.ok(!result.isError, JSON.stringify(result));
  assert.deepEqual(seen.at(-1), [3, 3]);

  const stop = new AbortController();
  const called = call(client, stepping(20000), {
    signal: stop.signal,
    onprogress: () => stop.abort('enough'),
  });
  await assert.rejects(called, 'it was called off');
  // The tool has one line: were the run still there, this would wait for it.
  const begun = performance.now();
  await call(client, stepping(1));
  assert.ok(performance.now() - begun < 15000, 'the run goes on');
  await rm(folder, { recursive: true });
}

async function checkPicture(client, call) {
  const code = "getCanvas(20, 10).getContext('2d').fillRect(0, 0, 20, 10);";
  const { content } = await call(client, { name: 'run_javascript', arguments: { code } });
  const picture = content.find(({ type }) => type === 'image');
  assert.equal(picture?.mimeType, 'image/png');
  assert.equal(Buffer.from(picture.data, 'base64').subarray(1, 4).toString(), 'PNG');
}

for (const { name, open, Transport, call } of clients) {
  const client = open();
  const transport = new Transport({ ...started, stderr: 'inherit' });
  await client.connect(transport);
  const steps = await walk(client);
  await checkLongCalls(client, call);
  await checkPicture(client, call);
  await client.close();
  console.log(`ok  ${name}, over stdio: ${steps} steps`);
}
process.exit(0);
