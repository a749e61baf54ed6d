// ws: client and server.
import { WebSocket, WebSocketServer, createWebSocketStream } from 'ws';
import { once } from 'node:events';
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: { threshold: 10 } });
await once(server, 'listening');
server.on('connection', (socket, request) => {
  socket.send(`hello ${request.url}`);
  socket.on('message', (data, binary) => {
    if (!binary && data.toString() === 'bye') socket.close(4000, 'as asked');
    else socket.send(data, { binary });
  });
});
const url = `ws://127.0.0.1:${server.address().port}`;
const heard = [];
const client = new WebSocket(`${url}/room`, { headers: { 'x-own': '1' } });
client.on('message', (data, binary) => {
  heard.push(binary ? [...data] : data.toString().length > 40 ? data.length : data.toString());
  if (heard.length === 1) client.send('text ü');
  if (heard.length === 2) client.send(Buffer.from([1, 2, 255]));
  if (heard.length === 3) client.send('long '.repeat(20_000));
  if (heard.length === 4) client.ping('are you there');
});
client.on('pong', (data) => (heard.push(`pong ${data}`), client.send('bye')));
const [code, reason] = await once(client, 'close');
console.log(heard, code, reason.toString(), client.readyState === WebSocket.CLOSED, client.extensions);
const dom = new WebSocket(url);
dom.binaryType = 'arraybuffer';
await new Promise((done) => (dom.onmessage = ({ data }) => (console.log('onmessage', data), done())));
dom.close();
await once(dom, 'close');
const through = createWebSocketStream(new WebSocket(url), { encoding: 'utf8' });
const [first] = await once(through, 'data');
through.write('by a stream');
const [second] = await once(through, 'data');
console.log(first, second);
through.destroy();
const refused = new WebSocket('ws://127.0.0.1:1/');
const [error] = await once(refused, 'error');
console.log(error.code);
for (const socket of server.clients) socket.terminate();
await new Promise((done) => server.close(done));
