// What 1,000 tools say of themselves, imported one after the other with all of the machine's rights:
// node toolbox.mjs FOLDER prints {name: version}, an empty version for what cannot be imported.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = process.argv[2];
const versions = {};
for (const name of readdirSync(root).sort()) {
  const file = join(root, name, `${name}.tool.js`);
  try {
    const { default: tool } = await import(pathToFileURL(file).href);
    versions[name] = tool.getMetadata().version;
    tool.getSchema();
  } catch {
    versions[name] = '';
  }
}
console.log(JSON.stringify({ versions, rss: process.memoryUsage.rss() }));
