// What an engine holds after calling the tool of the benchmark again and again: its memory in bytes.
import { readFileSync } from 'node:fs';
import tool from './adder.tool.js';

let sum = 0;
for (let n = 0; n < 2000; n++) ({ sum } = await tool.execute({ a: sum, b: 1 }));
const kb = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
console.log(JSON.stringify({ sum, kb }));
