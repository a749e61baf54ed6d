// A server on loopback that the scripts about HTTP clients ask; it is part of the script that asks, so
// that no script needs anything beside it.
import http from 'node:http';
import zlib from 'node:zlib';

export async function bodyOf(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

const GIVEN = {
  '/json': (_, response) => response.setHeader('content-type', 'application/json').end('{"name":"Ada","text":"中文 ü"}'),
  '/gzip': (_, response) => response.setHeader('content-encoding', 'gzip').setHeader('content-type', 'application/json').end(zlib.gzipSync('{"packed":"gzip"}')),
  '/brotli': (_, response) => response.setHeader('content-encoding', 'br').setHeader('content-type', 'application/json').end(zlib.brotliCompressSync('{"packed":"br"}')),
  '/deflate': (_, response) => response.setHeader('content-encoding', 'deflate').setHeader('content-type', 'application/json').end(zlib.deflateSync('{"packed":"deflate"}')),
  '/bytes': (_, response) => response.setHeader('content-type', 'application/octet-stream').end(Buffer.from(Array.from({ length: 1000 }, (_, at) => at & 255))),
  '/parts': (_, response) => {
    for (let at = 0; at < 5; at += 1) response.write(`part ${at}\n`);
    response.end();
  },
  '/away': (_, response) => response.writeHead(302, { location: '/json' }).end(),
  '/missing': (_, response) => response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"no such thing"}'),
  '/broken': (_, response) => response.writeHead(500).end('oh no'),
  '/cookies': (_, response) => response.setHeader('set-cookie', ['a=1; Path=/', 'b=2']).end('{}'),
  '/never': () => {},
  '/echo': async (request, response) => {
    const body = await bodyOf(request);
    const { 'content-type': type, authorization, 'x-own': own } = request.headers;
    // Boundaries are random, of a length that is each client's own.
    const boundary = /boundary="?([^";]+)/.exec(type ?? '')?.[1];
    const tamed = (text) => (boundary ? text?.replaceAll(boundary, 'BOUNDARY') : text);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ method: request.method, url: request.url, type: tamed(type), authorization, own, body: tamed(body.toString()) }));
  },
};

/** `more` are answers of the script's own, by path. */
export async function serve(more = {}) {
  const answers = { ...GIVEN, ...more };
  const server = http.createServer((request, response) => {
    const answer = answers[request.url.split('?')[0]];
    if (answer) answer(request, response);
    else response.writeHead(404).end('nothing here');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  return {
    server,
    port,
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}
