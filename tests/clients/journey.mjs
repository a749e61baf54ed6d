// Walks journey.json with any client. The Python client walks the same file.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const journey = JSON.parse(await readFile(new URL('journey.json', import.meta.url), 'utf8'));

export function variable(name) {
  assert.ok(process.env[name], `${name} is not set: start this through cargo xtask test`);
  return process.env[name];
}

/** `client` has listTools(), callTool({name, arguments}) and the like, as both SDKs have them. */
export async function walk(client) {
  const { tools } = await client.listTools();
  for (const [name, expected] of Object.entries(journey.tools)) checkTool(tools, name, expected);
  for (const step of journey.steps) {
    const result = await client.callTool({ name: step.tool, arguments: step.arguments });
    try {
      await checkStep(step, result);
    } catch (error) {
      error.message = `${step.name}: ${error.message}\n${JSON.stringify(result, null, 2)}`;
      throw error;
    }
  }
  await checkPrompt(client, journey.prompt);
  return journey.steps.length + 1;
}

async function checkPrompt(client, expected) {
  const { prompts } = await client.listPrompts();
  const offered = prompts.find((prompt) => prompt.name === expected.name);
  assert.ok(offered, `${expected.name} is not among ${prompts.map((prompt) => prompt.name)}`);
  const required = offered.arguments.filter((argument) => argument.required);
  assert.deepEqual(
    required.map((argument) => argument.name),
    expected.required,
  );
  const { messages } = await client.getPrompt({ name: expected.name, arguments: expected.arguments });
  assert.deepEqual(
    messages.map((message) => message.role),
    ['user'],
  );
  for (const part of expected.contains) assert.ok(messages[0].content.text.includes(part), part);
  await assert.rejects(
    client.getPrompt({ name: expected.name }),
    (error) => error.message.includes(expected.missing),
    'a value is missing',
  );
}

function checkTool(tools, name, expected) {
  const tool = tools.find((tool) => tool.name === name);
  assert.ok(tool, `${name} is not among ${tools.map((tool) => tool.name)}`);
  assert.ok(tool.description?.length > 40, `${name} has no description to speak of`);
  assert.equal(tool.inputSchema.type, 'object');
  for (const property of expected.string) assert.equal(tool.inputSchema.properties[property]?.type, 'string');
}

async function checkStep(step, result) {
  if ('isError' in step) assert.equal(result.isError ?? false, step.isError);
  else if (step.tool === 'toolm') assert.ok(!result.isError, 'isError');
  assert.equal(result.content[0]?.type, 'text');
  const { text } = result.content[0];
  if ('text' in step) assert.equal(text, step.text);
  for (const part of step.contains ?? []) assert.ok(text.includes(part), `no ${JSON.stringify(part)} in the text`);
  if ('exactly' in step) assert.deepEqual(JSON.parse(text), step.exactly);
  for (const [key, value] of Object.entries(step.json ?? {})) assert.deepEqual(JSON.parse(text)[key], value, key);
  if ('picture' in step) await checkPicture(step.picture, JSON.parse(text).images);
}

async function checkPicture(expected, images) {
  assert.equal(images.length, 1);
  assert.match(images[0], /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.png$/);
  const png = await readFile(join(variable('PM_DATA_HOME'), 'artifacts', images[0]));
  assert.equal(png.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');
  assert.deepEqual({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) }, expected);
}
