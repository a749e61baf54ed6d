// anthropic-sdk: (@anthropic-ai/sdk) against a stub: answers, streams, failures.
import Anthropic from '@anthropic-ai/sdk';
import { bodyOf, serve } from './local/server.mjs';
const events = [
  ['message_start', { message: { id: 'm', type: 'message', role: 'assistant', content: [], model: 'x', usage: { input_tokens: 1, output_tokens: 1 } } }],
  ['content_block_start', { index: 0, content_block: { type: 'text', text: '' } }],
  ['content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hi ' } }],
  ['content_block_delta', { index: 0, delta: { type: 'text_delta', text: '中文' } }],
  ['content_block_stop', { index: 0 }],
  ['message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }],
  ['message_stop', {}],
];
const { url, close } = await serve({
  '/v1/messages': async (request, response) => {
    const asked = JSON.parse(await bodyOf(request));
    if (asked.model === 'none')
      return response.writeHead(404, { 'content-type': 'application/json' }).end('{"type":"error","error":{"type":"not_found_error","message":"no model"}}');
    if (!asked.stream)
      return response
        .setHeader('content-type', 'application/json')
        .end(
          JSON.stringify({
            id: 'm',
            type: 'message',
            role: 'assistant',
            content: [{ type: 'text', text: `You said ${asked.messages[0].content}` }],
            model: asked.model,
            usage: {},
          }),
        );
    response.setHeader('content-type', 'text/event-stream');
    for (const [type, data] of events) response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    return response.end();
  },
});
const client = new Anthropic({ apiKey: 'key', baseURL: url, maxRetries: 0 });
const question = { model: 'x', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
console.log(
  (await client.messages.create(question)).content[0].text,
  await client.messages.stream(question).finalText(),
  (await client.messages.create({ ...question, model: 'none' }).catch((error) => error)).status,
);
await close();
