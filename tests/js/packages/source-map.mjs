// source-map: its consumer is WebAssembly.
import { SourceMapConsumer, SourceMapGenerator, SourceNode } from 'source-map';
const generator = new SourceMapGenerator({ file: 'out.js' });
for (let line = 1; line <= 40; line++) {
  generator.addMapping({ generated: { line, column: line % 7 }, original: { line: line * 2, column: line % 5 }, source: `in${line % 3}.js`, name: line % 4 === 0 ? `name${line}` : undefined });
}
generator.setSourceContent('in1.js', 'let a = 1;\nlet b = 2;\n');
const map = generator.toString();
console.log(map.slice(0, 120));
await SourceMapConsumer.with(map, null, (consumer) => {
  console.log(consumer.sources, consumer.hasContentsOfAllSources());
  for (const line of [1, 12, 39]) console.log(consumer.originalPositionFor({ line, column: 10 }));
  console.log(consumer.generatedPositionFor({ source: 'in1.js', line: 20, column: 0 }), consumer.allGeneratedPositionsFor({ source: 'in2.js', line: 4 }));
  let count = 0;
  consumer.eachMapping(({ generatedLine }) => { count += generatedLine; });
  console.log(count);
});
const node = new SourceNode(1, 0, 'a.js', ['x = ', new SourceNode(2, 4, 'b.js', 'call()'), ';']);
const { code, map: made } = node.toStringWithSourceMap({ file: 'c.js' });
console.log(code, made.toJSON().mappings);
