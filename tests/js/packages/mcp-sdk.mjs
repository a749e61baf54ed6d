// @modelcontextprotocol/sdk: a client over streamable HTTP to a server of its own, and in memory.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { bodyOf, serve } from './local/server.mjs';
function makeServer() {
  const server = new McpServer({ name: 'own', version: '1.0.0' });
  server.registerTool('add', { description: 'adds', inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));
  server.registerTool('slow', { description: 'tells how far it is', inputSchema: {} }, async (_, { sendNotification, _meta }) => {
    for (const progress of [1, 2]) await sendNotification({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress, total: 2 } });
    return { content: [{ type: 'text', text: 'done' }] };
  });
  server.registerResource('note', new ResourceTemplate('note://{name}', { list: undefined }), { title: 'Note' }, (uri, { name }) => ({ contents: [{ uri: uri.href, text: `about ${name}` }] }));
  server.registerPrompt('greet', { argsSchema: { name: z.string() } }, ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Hello ${name}` } }] }));
  return server;
}
async function walk(client) {
  console.log(client.getServerVersion(), Object.keys(client.getServerCapabilities()));
  console.log(JSON.stringify((await client.listTools()).tools));
  console.log((await client.callTool({ name: 'add', arguments: { a: 1, b: 2.5 } })).content, (await client.callTool({ name: 'add', arguments: { a: 'x' } })).isError);
  const heard = [];
  console.log((await client.callTool({ name: 'slow', arguments: {} }, undefined, { onprogress: ({ progress }) => heard.push(progress) })).content, heard);
  console.log((await client.readResource({ uri: 'note://ada' })).contents, (await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } })).messages);
  console.log((await client.request({ method: 'made/up' }, z.any()).catch((error) => error)).code);
}
const [mine, theirs] = InMemoryTransport.createLinkedPair();
const near = new Client({ name: 'me', version: '1' });
await Promise.all([makeServer().connect(theirs), near.connect(mine)]);
await walk(near);
await near.close();
const sessions = new Map();
const { url, close } = await serve({
  '/mcp': async (request, response) => {
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (!transport) {
      transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized: (id) => sessions.set(id, transport) });
      await makeServer().connect(transport);
    }
    const body = request.method === 'POST' ? JSON.parse(await bodyOf(request)) : undefined;
    await transport.handleRequest(request, response, body);
  },
});
const far = new Client({ name: 'me', version: '1' });
const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`));
await far.connect(transport);
await walk(far);
await transport.terminateSession();
await far.close();
await close();
