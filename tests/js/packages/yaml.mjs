// yaml.
import YAML from 'yaml';
const document = YAML.parseDocument('# top\na: 1 # one\nb: [x, y]\n');
document.set('c', { d: true });
console.log(String(document), YAML.parse('x: !!set {a, b}\ny: 0x1f\n'), YAML.stringify({ list: [1, 'two', { three: 3 }], text: 'a\nb' }));
console.log(YAML.parseDocument('a: [').errors.map(({ code }) => code));
