// What the types of tools refuse, each with the line that must not pass. Checked by tsc with the
// built-in tools (ui/tsconfig.tools.json): an expected error that is none is an error.

/** @type {import('prompt-manager').Metadata} */
// @ts-expect-error a description is missing
export const metadata = { name: 'wrong', version: '1.0.0' };

/** @type {import('prompt-manager').Property} */
// @ts-expect-error there is no type `text`
export const property = { type: 'text' };

/** @type {import('prompt-manager').BusinessError} */
// @ts-expect-error a solution is missing
export const failure = { code: 'A', description: 'a', match: 'a' };

/** @type {import('prompt-manager').RuntimeConfig} */
// @ts-expect-error megabytes are a number
export const config = { maxMemory: '512' };

/** @type {import('prompt-manager').Tool} */
// @ts-expect-error a tool executes something
export const idle = {};

/** @type {import('prompt-manager').Tool} */
export default {
  async execute(params) {
    this.api.logger.info('fine', params);
    this.api.progress(1, 2, 'half');
    this.api.storage.setItem('key', [1]);
    const path = this.resolvePromptManagerPath('a.txt');
    // @ts-expect-error there is no such level
    this.api.logger.fatal(path);
    // @ts-expect-error a key is a text
    this.api.storage.getItem(1);
    return path;
  },
};
