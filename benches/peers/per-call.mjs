// One call in a node of its own: node per-call.mjs '{"a": 1, "b": 2}'
import tool from './adder.tool.js';

console.log(JSON.stringify(await tool.execute(JSON.parse(process.argv[2]))));
