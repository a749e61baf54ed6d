// openai, against a stub on loopback: answers, streams, tools, files, failures and retries.
import OpenAI, { toFile } from 'openai';
import { bodyOf, serve } from './local/server.mjs';
const heard = [];
let failures = 0;
const json = (response, value, status = 200) => response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1' }).end(JSON.stringify(value));
const piece = (delta, finish_reason = null) => ({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] });
const { url, close } = await serve({
  '/v1/chat/completions': async (request, response) => {
    const asked = JSON.parse(await bodyOf(request));
    heard.push([request.headers.authorization, asked]);
    if (asked.model === 'busy' && failures++ < 1) return json(response.setHeader('retry-after-ms', '5'), { error: { message: 'slow down', type: 'rate', code: 'rate_limit' } }, 429);
    if (asked.model === 'none') return json(response, { error: { message: 'no such model', type: 'invalid_request_error', param: 'model', code: 'model_not_found' } }, 404);
    if (asked.stream) {
      response.setHeader('content-type', 'text/event-stream');
      for (const text of ['Hel', 'lo ', '中文']) response.write(`data: ${JSON.stringify(piece({ role: 'assistant', content: text }))}\n\n`);
      response.write(`data: ${JSON.stringify(piece({}, 'stop'))}\n\n`);
      return response.end('data: [DONE]\n\n');
    }
    const message = asked.tools && asked.messages.length === 1
      ? { role: 'assistant', content: null, tool_calls: [{ id: 't1', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } }] }
      : { role: 'assistant', content: 'It is 3.' };
    return json(response, { id: 'c1', object: 'chat.completion', created: 1, model: asked.model, choices: [{ index: 0, message, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' }], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } });
  },
  '/v1/models': (_, response) => json(response, { object: 'list', data: [{ id: 'a', object: 'model' }, { id: 'b', object: 'model' }] }),
  '/v1/embeddings': (_, response) => json(response, { object: 'list', model: 'e', data: [{ object: 'embedding', index: 0, embedding: Buffer.from(new Float32Array([0.5, -0.25]).buffer).toString('base64') }], usage: {} }),
  '/v1/files': async (request, response) => json(response, { id: 'f1', bytes: (await bodyOf(request)).includes('{"a":1}') ? 7 : 0, type: request.headers['content-type'].split(';')[0] }),
});
const client = new OpenAI({ apiKey: 'key', baseURL: `${url}/v1`, maxRetries: 2, timeout: 5000 });
const messages = [{ role: 'user', content: 'hi' }];
console.log((await client.chat.completions.create({ model: 'm', messages })).choices[0].message.content);
let text = '';
for await (const part of await client.chat.completions.create({ model: 'm', messages, stream: true })) text += part.choices[0].delta.content ?? '';
console.log(text);
const stream = client.chat.completions.stream({ model: 'm', messages });
const deltas = [];
stream.on('content', (delta) => deltas.push(delta));
console.log(await stream.finalContent(), deltas);
console.log((await client.chat.completions.create({ model: 'busy', messages })).choices[0].finish_reason, failures);
const runner = client.chat.completions.runTools({ model: 'm', messages, tools: [{ type: 'function', function: { name: 'add', function: ({ a, b }) => String(a + b), parse: JSON.parse, parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } } }] });
console.log(await runner.finalContent(), runner.messages.map(({ role }) => role));
const failed = await client.chat.completions.create({ model: 'none', messages }).catch((error) => error);
console.log(failed instanceof OpenAI.NotFoundError, failed.status, failed.code, failed.message, failed.requestID);
const models = [];
for await (const { id } of client.models.list()) models.push(id);
console.log(models, (await client.embeddings.create({ model: 'e', input: 'x' })).data[0].embedding);
const kept = await client.files.create({ file: await toFile(Buffer.from('{"a":1}'), 'a.jsonl'), purpose: 'fine-tune' });
console.log(kept.id, kept.bytes, kept.type);
const { data, response } = await client.models.list().withResponse();
console.log(data.data.length, response.headers.get('x-request-id'));
const nobody = await new OpenAI({ apiKey: 'key', baseURL: 'http://127.0.0.1:1/v1', maxRetries: 0 }).models.list().catch((error) => error);
console.log(nobody instanceof OpenAI.APIConnectionError, nobody.message);
console.log(JSON.stringify(heard));
await close();
