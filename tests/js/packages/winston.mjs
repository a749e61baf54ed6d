// winston: levels, formats, a stream and a file.
import winston from 'winston';
import { Writable } from 'node:stream';
const lines = [];
const sink = new Writable({
  write(c, e, d) {
    lines.push(String(c).trim());
    d();
  },
});
const log = winston.createLogger({
  level: 'debug',
  format: winston.format.combine(winston.format.label({ label: 'L' }), winston.format.json()),
  transports: [new winston.transports.Stream({ stream: sink }), new winston.transports.File({ filename: 'made-w.log' })],
});
log.info('hello', { a: 1 });
log.debug('d');
log.silly('no');
log.error(new Error('x').message);
const done = new Promise((r) => log.on('finish', r));
log.end();
await done;
await new Promise((r) => setTimeout(r, 100));
console.log(lines);
const fs = await import('node:fs');
console.log(fs.readFileSync('made-w.log', 'utf8').split('\n').length);
fs.rmSync('made-w.log');
