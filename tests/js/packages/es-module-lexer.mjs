// es-module-lexer.
import { init, parse } from 'es-module-lexer';
await init;
const source = "import a, { b as c } from './x.js';\nimport data from 'y' with { type: 'json' };\nexport const one = 1, two = 2;\nexport { c as three };\nexport default function four() {}\nexport * from 'z';\nconst later = import(`./${one}.js`);\nawait import('fixed');\nimport.meta.url;\n// import 'no'\n";
const [imports, exports, facade, module] = parse(source);
console.log(imports, exports.map(({ n, ln, s, e }) => [n, ln, s, e]), facade, module);
for (const broken of ['import { from', 'export {', '`${', "import 'x"]) {
  try {
    console.log(parse(broken)[0].length);
  } catch (error) {
    console.log(error.message, error.idx);
  }
}
console.log(parse(`${source.repeat(500)}`)[0].length);
