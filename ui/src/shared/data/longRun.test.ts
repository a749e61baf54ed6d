import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { Backoff } from '@/platform/backoff';
import { httpTransport } from '@/platform/http';
import { json, recorder, testServer, type Received, type TestServer } from '@/platform/testServer';
import { runToEnd } from './longRun';

let server: TestServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const RUN = '7d444840-9dc0-4d1e-9b2f-1c2e3a4b5c6d';
const ANSWER = { run: RUN, success: true, result: 5, durationMs: 1 };

type Answers = Record<string, ((response: ServerResponse, request: Received) => void)[]>;

/** A server that answers the calls of each kind one after another; the last answer stays. */
async function owner(answers: Answers) {
  server = await testServer((request, response) => {
    const name = request.url.replace('/api/', '');
    const rest = answers[name] ?? [];
    const answer = rest.length > 1 ? rest.shift() : rest[0];
    if (!answer) throw new Error(`nobody asked for ${name}`);
    answer(response, request);
  });
  const { origin, requests } = server;
  const transport = httpTransport({
    origin,
    session: { token: () => 'tok', drop: () => undefined },
    language: () => 'en',
    onSessionLost: () => undefined,
  });
  const steps = recorder<string>();
  const run = (onBack = (): Promise<unknown> => Promise.resolve()) =>
    runToEnd({
      transport,
      name: 'tool.run',
      params: { tool: 'x', parameters: {}, run: RUN },
      steps: {
        onSent: () => steps.push('sent'),
        onLost: () => steps.push('lost'),
        async onBack() {
          steps.push('back');
          await onBack();
        },
      },
      signal: new AbortController().signal,
      backoff: new Backoff(1, 2),
    });
  const asked = () =>
    requests.flatMap(({ url, headers }) =>
      url === '/api/tool.run'
        ? [[headers['idempotency-key'], headers['idempotency-again'] === '1']]
        : [],
    );
  return { transport, run, steps, asked, requests };
}

const breaks = (response: ServerResponse) => response.destroy();
const there = (response: ServerResponse) => json(response, 200, { runs: [] });
const answers = (response: ServerResponse) => json(response, 200, ANSWER);
const fails = (status: number, code: string) => (response: ServerResponse) =>
  json(response, status, { code, message: code });

describe('a run whose connection breaks', () => {
  it('is asked for again under its key until the owner answers', async () => {
    const { run, steps, asked } = await owner({
      'tool.run': [
        breaks,
        // The answer itself breaks off, then the owner is about to go.
        (response) => {
          response.writeHead(200, { 'content-length': 100 });
          response.write('{"run":', () => response.destroy());
        },
        fails(503, 'server_ending'),
        answers,
      ],
      'run.active': [breaks, breaks, there],
    });
    expect(await run()).toEqual({ answer: ANSWER });
    expect(steps.seen).toEqual(['sent', 'lost', 'back', 'lost', 'back', 'lost', 'back']);
    const [first, ...again] = asked();
    expect(first?.[0]).toMatch(/^[\da-f]{32}$/);
    expect(first?.[1]).toBe(false);
    expect(again).toEqual(Array.from({ length: 3 }, () => [first?.[0], true]));
  });

  it('tells the owner what was wished meanwhile before it waits for the answer', async () => {
    const { run, transport, requests } = await owner({
      'tool.run': [breaks, answers],
      'run.active': [there],
      'run.cancel': [(response) => json(response, 200, {})],
    });
    await run(async () => void (await transport.call('run.cancel', { run: RUN })));
    expect(requests.map(({ url }) => url)).toEqual([
      '/api/tool.run',
      '/api/run.active',
      '/api/run.cancel',
      '/api/tool.run',
    ]);
  });

  it('is looked up in the history when the answer is forgotten', async () => {
    const { run } = await owner({
      'tool.run': [breaks, fails(404, 'answer_not_known')],
      'run.active': [there],
      'run.show': [(response) => json(response, 200, { id: RUN, success: true })],
    });
    expect(await run()).toEqual({ record: RUN });
  });

  it('was cut off when another owner knows nothing of it; it is not run again', async () => {
    const { run, asked } = await owner({
      'tool.run': [breaks, fails(404, 'answer_not_known')],
      'run.active': [there],
      'run.show': [fails(404, 'run_not_found')],
    });
    await expect(run()).rejects.toMatchObject({ code: 'run_cut_off' });
    expect(asked().map(([, again]) => again)).toEqual([false, true]);
  });
});

it('brings refusals as they are, without a second question', async () => {
  const { run, asked, steps } = await owner({ 'tool.run': [fails(404, 'unknown_tool')] });
  await expect(run()).rejects.toMatchObject({ code: 'unknown_tool' });
  expect(asked()).toHaveLength(1);
  expect(steps.seen).toEqual(['sent']);
});
