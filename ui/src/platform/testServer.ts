/** A real owner's side of the wire for tests: sessions, calls and one event stream at a time. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: unknown;
}

type Answer = (request: Received, response: ServerResponse) => void;

export interface TestServer {
  origin: string;
  requests: Received[];
  stop(): Promise<void>;
}

export async function testServer(answer: Answer): Promise<TestServer> {
  const requests: Received[] = [];
  const server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const received: Received = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
    requests.push(received);
    answer(received, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** What happens in another turn, awaited instead of slept for. */
export function recorder<T>() {
  const seen: T[] = [];
  let wake: () => void = () => undefined;
  return {
    seen,
    push(value: T) {
      seen.push(value);
      wake();
    },
    /** Resolves when `count` values have come. */
    async until(count: number): Promise<T[]> {
      while (seen.length < count) await new Promise<void>((resolve) => (wake = resolve));
      return seen;
    },
  };
}
