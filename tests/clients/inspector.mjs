// The command line of MCP's inspector, as people try a server with it: over HTTP and over pipes. Each
// question is a process of its own, with a handshake of its own.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { variable } from './journey.mjs';

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector-cli/package.json');
const inspector = join(dirname(manifest), 'build', 'cli.js');
const run = promisify(execFile);
// It looks for its own version beside the folder that it is started in.
const cwd = dirname(inspector);

const url = `${variable('PM_URL')}/mcp`;
const ways = {
  http: (token) => [url, '--transport', 'http', '--header', `Authorization: Bearer ${token}`],
  stdio: () => [variable('PM_PROGRAM'), '--home', variable('PM_DATA_HOME'), 'mcp'],
};

/** What the inspector printed, as JSON. */
async function ask(target, method, ...options) {
  const { stdout } = await run(process.execPath, [inspector, '--cli', ...target, '--method', method, ...options], { cwd });
  return JSON.parse(stdout);
}

for (const [way, target] of Object.entries(ways)) {
  const server = target(variable('PM_TOKEN'));
  const { tools } = await ask(server, 'tools/list');
  for (const name of ['toolm', 'run_javascript', 'find_tools']) assert.ok(tools.some((tool) => tool.name === name), name);

  const yaml = JSON.stringify({ tool: 'tool://todolist', parameters: { action: 'add', title: `by ${way}` } });
  const added = await ask(server, 'tools/call', '--tool-name', 'toolm', '--tool-arg', `yaml=${yaml}`);
  assert.equal(JSON.parse(added.content[0].text).result.item.title, `by ${way}`);
  const wrong = await ask(server, 'tools/call', '--tool-name', 'toolm', '--tool-arg', 'yaml=tool: tool://nowhere');
  assert.equal(wrong.isError, true);

  const code = "getCanvas(20, 10).getContext('2d').fillRect(0, 0, 9, 9)";
  const drawn = await ask(server, 'tools/call', '--tool-name', 'run_javascript', '--tool-arg', `code=${code}`);
  const kinds = drawn.content.map((part) => part.type);
  assert.deepEqual(kinds, ['text', 'image', 'resource_link']);

  const { uri } = drawn.content[2];
  const { resources } = await ask(server, 'resources/list');
  assert.ok(resources.some((resource) => resource.uri === uri), `${uri} is not listed`);
  const { contents } = await ask(server, 'resources/read', '--uri', uri);
  assert.equal(contents[0].blob, drawn.content[1].data);
  const { resourceTemplates } = await ask(server, 'resources/templates/list');
  assert.ok(resourceTemplates.length > 0);

  const { prompts } = await ask(server, 'prompts/list');
  const review = prompts.find((prompt) => prompt.name === '代码审查');
  assert.ok(review, 'no starter among the prompts');
  const filled = ['--prompt-name', review.name, '--prompt-args', '代码=let y = 2;'];
  const { messages } = await ask(server, 'prompts/get', ...filled);
  assert.ok(messages[0].content.text.includes('let y = 2;'));
  console.log(`ok  inspector over ${way}: tools, a call, a picture, resources, prompts`);
}

await assert.rejects(ask(ways.http('wrong'), 'tools/list'), (error) => error.code !== 0 && /401|nauthorized/.test(error.stderr));
console.log('ok  inspector with a wrong token is refused');
