// prettier: six languages.
import * as prettier from 'prettier';
for (const [parser, text] of [
  ['babel', 'const a={b:1,c(){return [1,2]}}'],
  ['typescript', 'interface A{b:string}'],
  ['css', 'a{b:c}'],
  ['markdown', '* a\n* b'],
  ['yaml', 'a:\n   - b'],
  ['html', '<p>a<b>c</b></p>'],
])
  console.log(await prettier.format(text, { parser }));
console.log((await prettier.format('const = 1', { parser: 'babel' }).catch((error) => error)).name);
