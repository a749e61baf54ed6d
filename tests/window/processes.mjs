// Programs around a test: what they say first, and where they may listen.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** Below those that the system gives to connections, here from 32768 on. */
const [LOWEST, PORTS] = [20_000, 12_000];

/** Ports that nobody has now, and that nobody is given who does not name them. */
export async function freePorts(count) {
  const ports = [];
  let port = LOWEST + Math.floor(Math.random() * PORTS);
  while (ports.length < count) {
    port = LOWEST + ((port + 1 - LOWEST) % PORTS);
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

async function isFree(port) {
  const server = createServer();
  const free = await new Promise((done) => {
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => done(true));
  });
  if (free) await once(server.close(), 'close');
  return free;
}

export async function firstLine(child, stream, name) {
  const lines = createInterface({ input: stream });
  const [line] = await Promise.race([
    once(lines, 'line'),
    once(child, 'error').then(([error]) => {
      throw error;
    }),
    once(child, 'exit').then(([code]) => {
      throw new Error(`${name} ended with ${code}`);
    }),
  ]);
  return line;
}
