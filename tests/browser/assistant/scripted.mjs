// A model that is a function: what it is asked is read as any model would read it, and what it answers was written
// beforehand. It speaks OpenAI's protocol over HTTP and streams.

import { once } from 'node:events';
import { createServer } from 'node:http';

/** What a prompt lists: `[3] <button> Find (submit) new`. */
export function elements(prompt) {
  return [...prompt.matchAll(/^\[(\d+)\] <([^>]*)> (.*)$/gmu)].map(([, id, tag, rest]) => ({
    id: Number(id),
    tag,
    rest,
  }));
}

/** The id of the element that is called so. */
export function idOf(prompt, label) {
  const found = elements(prompt).find(({ rest }) => rest === label || rest.startsWith(`${label} `));
  if (!found) throw new Error(`no "${label}" in\n${prompt}`);
  return found.id;
}

export class Model {
  /** Questions as they came. */
  asked = [];
  #script;
  #server;
  #failed;

  constructor() {
    this.#server = createServer(async (request, response) => {
      let body = '';
      for await (const part of request.setEncoding('utf8')) body += part;
      const prompt = JSON.parse(body)
        .messages.map(({ content }) => content)
        .join('\n');
      this.asked.push(prompt);
      let reply = '';
      try {
        reply = await this.#script(prompt, this.asked.length);
      } catch (error) {
        this.#failed ??= error;
      }
      if (typeof reply !== 'string') reply = JSON.stringify(reply);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const say = (delta, finish_reason = null) =>
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
      for (const piece of reply.match(/[^]{1,40}/gu) ?? []) say({ content: piece });
      say({}, 'stop');
      response.end('data: [DONE]\n\n');
    });
  }

  async start() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${this.#server.address().port}/v1`;
    return this;
  }

  /** Replies by number of the question, counted from now, or by a function. */
  plays(script) {
    this.asked = [];
    this.#failed = undefined;
    this.#script = Array.isArray(script)
      ? (prompt, nth) => {
          const next = script[nth - 1];
          if (next === undefined) throw new Error(`question ${nth} was not expected:\n${prompt}`);
          return typeof next === 'function' ? next(prompt) : next;
        }
      : script;
  }

  /** Throws what went wrong in a script. */
  check() {
    if (this.#failed) throw this.#failed;
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Steps of one reply. */
export const act = (...actions) => ({ actions });
export const click = (label, more) => (prompt) =>
  act({ type: 'click', id: idOf(prompt, label), ...more });
export const input = (label, value) => (prompt) =>
  act({ type: 'input', id: idOf(prompt, label), value });
export const done = (value) => act({ type: 'done', value });
