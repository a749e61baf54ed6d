// pino: levels, children, redaction, a file.
import pino from 'pino';
import { Writable } from 'node:stream';
const lines = [];
const sink = new Writable({
  write(c, e, d) {
    lines.push(String(c).trim());
    d();
  },
});
const log = pino({ base: null, timestamp: false, redact: ['pw'] }, sink);
log.info({ a: 1, pw: 'x' }, 'hi %s', 'you');
log.child({ m: 1 }).warn('w');
log.debug('no');
log.error(new Error('bad').message);
console.log(lines);
const f = pino({ base: null, timestamp: false }, pino.destination({ dest: './made-p.log', sync: true }));
f.info('to file');
const fs = await import('node:fs');
console.log(fs.readFileSync('made-p.log', 'utf8'));
fs.rmSync('made-p.log');
