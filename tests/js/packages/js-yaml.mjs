// js-yaml.
import * as yaml from 'js-yaml';
const text = 'a: 1\nlist:\n  - x\n  - {y: 2}\ntext: |\n  two\n  lines\nref: &r {k: v}\nagain: *r\ndate: 2020-01-01\n';
console.log(yaml.load(text), yaml.dump({ a: [1, { b: 'x: y' }], n: null, t: 'multi\nline' }));
try { yaml.load('a: [1'); } catch (error) { console.log(error.name, error.reason); }
