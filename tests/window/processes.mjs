// Programs around a test: what they say first, and where they may listen.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** Ports that nobody has now. */
export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer());
  for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening');
  const ports = servers.map((server) => server.address().port);
  for (const server of servers) await once(server.close(), 'close');
  return ports;
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
