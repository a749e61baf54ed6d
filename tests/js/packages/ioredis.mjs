// ioredis: commands and a pipeline, against a stand-in.
import net from 'node:net';
import Redis from 'ioredis';
const answers = { get: '$3\r\nval\r\n', set: '+OK\r\n', incr: ':2\r\n', lrange: '*2\r\n$1\r\na\r\n$2\r\n\u00fc\r\n', bad: '-ERR no\r\n' };
const server = net.createServer((socket) =>
  socket.on('data', (data) => {
    for (const [, name] of String(data).matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) socket.write(answers[name.toLowerCase()] ?? '+OK\r\n');
  }),
);
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const redis = new Redis({ port: server.address().port, host: '127.0.0.1', enableReadyCheck: false, disableClientInfo: true });
console.log(
  await redis.set('a', 1),
  await redis.get('a'),
  await redis.incr('n'),
  await redis.lrange('l', 0, -1),
  (await redis.call('bad').catch((error) => error)).message,
  await redis.pipeline().get('a').incr('n').exec(),
);
redis.disconnect();
server.close();
