// Both generations of the TypeScript SDK, each revision of the protocol that they speak.
import assert from 'node:assert/strict';
import { Client as Modern, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as Classic } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as ClassicTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { variable, walk } from './journey.mjs';

const url = new URL('/mcp', variable('PM_URL'));
const who = { name: 'journey', version: '1.0.0' };

const clients = [
  {
    name: 'client 2, newest revision',
    open: () => new Modern(who, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    transport: (options) => new ModernTransport(url, options),
    check: (client) => assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28'),
  },
  {
    name: 'client 2, finding out',
    open: () => new Modern(who, { versionNegotiation: { mode: 'auto' } }),
    transport: (options) => new ModernTransport(url, options),
    check: (client) => assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28'),
  },
  {
    name: 'client 2, initialize',
    open: () => new Modern(who),
    transport: (options) => new ModernTransport(url, options),
    check: (client) => assert.equal(client.getNegotiatedProtocolVersion(), '2025-11-25'),
  },
  {
    name: 'sdk 1',
    open: () => new Classic(who),
    transport: (options) => new ClassicTransport(url, options),
    check: (client) => assert.ok(client.getServerVersion()?.name),
  },
];

const bearer = (token) => ({ requestInit: { headers: { Authorization: `Bearer ${token}` } } });

for (const { name, open, transport, check } of clients) {
  const client = open();
  await client.connect(transport(bearer(variable('PM_TOKEN'))));
  check(client);
  const steps = await walk(client);
  await client.close();
  for (const options of [{}, bearer('wrong')]) {
    await assert.rejects(
      open().connect(transport(options)),
      (error) => (error.status ?? error.code) === 401,
      `${name} without the token`,
    );
  }
  console.log(`ok  ${name}: ${steps} steps`);
}
process.exit(0);
