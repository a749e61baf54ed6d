// The tool in a server written with the TypeScript SDK, answers as JSON, on node's own HTTP
// server: the quickest form that the SDK has.
//
//   node sdk-server.mjs session      one server and transport for a client's whole session
//   node sdk-server.mjs stateless    a new server and transport for every request
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import tool from './adder.tool.js';

const keepsSessions = process.argv[2] === 'session';
const sessions = new Map();

async function connect() {
  const server = new McpServer({ name: 'peer', version: '1.0.0' });
  const { description } = tool.getMetadata();
  server.registerTool('adder', { description, inputSchema: { a: z.number(), b: z.number() } }, async (numbers) => ({
    content: [{ type: 'text', text: JSON.stringify(await tool.execute(numbers)) }],
  }));
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: keepsSessions ? randomUUID : undefined,
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await server.connect(transport);
  return { server, transport };
}

const http = createServer(async (request, response) => {
  const known = sessions.get(request.headers['mcp-session-id']);
  if (known) return known.handleRequest(request, response);
  const { server, transport } = await connect();
  if (!keepsSessions) response.on('close', () => server.close());
  await transport.handleRequest(request, response);
});

http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}`));
