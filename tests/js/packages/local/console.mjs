// Loaded first in bun and deno: what scripts print is compared with what Node prints, and how objects look
// in a console is not what the packages do. `util.format` is each one's own.
import { format } from 'node:util';
console.log = (...values) => void process.stdout.write(`${format(...values)}\n`);
