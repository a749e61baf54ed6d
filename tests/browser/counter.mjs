// A tool that comes in a zip archive, for the journeys through its life: it asks for rights, wants a
// secret, fails once in a way that may be tried again, and counts its runs in its data.

import { zip } from './zip.mjs';

/** `before` stands at the top of the module. */
const source = (version, before) => `${before}
export default {
  getMetadata: () => ({ name: 'Counter', version: '${version}', description: 'Counts how often it ran' }),
  getRuntimeConfig: () => ({ networkAccess: { hosts: ['example.com'] }, processes: true }),
  getSchema: () => ({
    environment: {
      type: 'object',
      properties: { COUNTER_TOKEN: { type: 'string', secret: true, description: 'Who counts' } },
    },
  }),
  getBusinessErrors: () => [
    { code: 'BUSY', description: 'Busy', solution: 'Wait', retryable: true, match: /busy just now/ },
  ],
  async execute() {
    const token = this.api.environment.get('COUNTER_TOKEN');
    if (token && !(await this.api.storage.getItem('met'))) {
      await this.api.storage.setItem('met', true);
      throw new Error('busy just now');
    }
    const count = ((await this.api.storage.getItem('count')) ?? 0) + 1;
    await this.api.storage.setItem('count', count);
    return '${version} ran ' + count + (token ? ' for ' + token.length : '');
  },
};
`;

const STUMBLE = `import { existsSync } from 'node:fs';
if (existsSync(new URL('./data/storage.json', import.meta.url))) throw new Error('old data are not understood');`;

/** The archive of a version. `stumbles`: it does not work with the data of the version before. */
export function counter(version, { stumbles = false } = {}) {
  return zip({ 'counter/counter.tool.js': source(version, stumbles ? STUMBLE : '') });
}
