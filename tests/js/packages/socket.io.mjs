// socket.io: server and client over both transports.
import { Server } from 'socket.io';
import { io } from 'socket.io-client';
import http from 'node:http';
const web = http.createServer();
const server = new Server(web);
server.on('connection', (socket) => {
  socket.emit('hello', { a: 1, b: Buffer.from([1, 2]) });
  socket.on('sum', (a, b, done) => done(a + b));
});
await new Promise((done) => web.listen(0, '127.0.0.1', done));
const url = `http://127.0.0.1:${web.address().port}`;
for (const transports of [['websocket'], ['polling']]) {
  const client = io(url, { transports, forceNew: true });
  console.log(await new Promise((done) => client.on('hello', done)), await new Promise((done) => client.emit('sum', 1, 2, done)), client.io.engine.transport.name);
  client.close();
}
await server.close();
