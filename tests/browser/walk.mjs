// Every page of the window, as an address and what tells that it stands.

import { painted } from './browser.mjs';

/** Pages of a furnished home. */
export const FULL = [
  ['tools', '/tools'],
  ['tool-manual', '/tools/filesystem/manual'],
  ['tool-run', '/tools/inventory/run'],
  ['tool-configure', '/tools/weather/configure'],
  ['tool-folders', '/tools/filesystem/configure'],
  ['tool-log', '/tools/inventory/log'],
  ['tool-dependencies', '/tools/plotter/dependencies'],
  ['tool-checks', '/tools/inventory/checks'],
  ['tool-files', '/tools/todolist/files'],
  ['tool-broken', '/tools/broken/manual'],
  ['servers', '/tools/@servers'],
  ['server-tools', '/tools/@servers/fixture'],
  ['server-rights', '/tools/@servers/fixture/rights'],
  ['server-log', '/tools/@servers/fixture/log'],
  ['canvas', '/canvas'],
  ['scratchpad', '/canvas/scratchpad'],
  ['workspaces', '/workspaces'],
  ['workspace-files', '/workspaces/site?file=README.md'],
  ['workspace-picture', '/workspaces/site?file=picture.png'],
  ['workspace-commands', '/workspaces/site/commands'],
  ['workspace-terminal', '/workspaces/site/terminal'],
  ['workspace-history', '/workspaces/site/history'],
  ['workspace-trash', '/workspaces/site/trash'],
  ['workspace-access', '/workspaces/site/access'],
  ['agents', '/agents'],
  ['cells', '/cells'],
  ['assistant', '/assistant'],
  ['prompts', '/prompts'],
  ['prompt-use', '/prompts/writing%2Frelease-notes.yaml'],
  ['prompt-edit', '/prompts/writing%2Frelease-notes.yaml/edit'],
  ['prompt-history', '/prompts/writing%2Frelease-notes.yaml/history'],
  ['skills', '/prompts/skills'],
  ['skill-text', '/prompts/skills/pdf-tools'],
  ['skill-edit', '/prompts/skills/pdf-tools/edit'],
  ['skill-files', '/prompts/skills/pdf-tools/files'],
  ['skill-clients', '/prompts/skills/pdf-tools/clients'],
  ['skill-history', '/prompts/skills/pdf-tools/history'],
  ['activity', '/activity'],
  ['settings-general', '/settings/general'],
  ['settings-server', '/settings/server'],
  ['settings-connect', '/settings/connect'],
  ['settings-tokens', '/settings/tokens'],
  ['settings-models', '/settings/models'],
  ['settings-assistant', '/settings/assistant'],
  ['settings-isolation', '/settings/isolation'],
  ['settings-data', '/settings/data'],
  ['settings-about', '/settings/about'],
].map(([name, hash]) => ({ name, hash }));

/** Pages whose empty state is a page of its own. */
export const EMPTY = FULL.filter(({ name }) =>
  ['tools', 'tool-run', 'tool-log', 'tool-files', 'servers', 'canvas', 'scratchpad', 'workspaces', 'agents', 'cells', 'assistant', 'prompts', 'skills', 'activity'].includes(name),
).map((page) => ({ ...page, hash: page.hash.replace('inventory', 'todolist') }));

/** Opens one page of the window and waits until nothing on it is still loading. */
export async function go(page, { hash }) {
  await page.evaluate((to) => {
    location.hash = to;
  }, `#${hash}`);
  await settled(page);
}

/** A page that has not changed for so long shows its content, or says that it is busy. */
const QUIET_MS = 250;

/** Resolves when the page has a heading, is not busy, and has come to rest. */
export async function settled(page) {
  await page.waitForFunction(() => document.querySelector('h1') !== null);
  await page.evaluate(
    (quiet) =>
      new Promise((done) => {
        const look = () => {
          if (document.querySelector('[aria-busy="true"]')) return wait();
          if ([...document.images].some(({ complete }) => !complete)) return wait();
          watching.disconnect();
          done();
        };
        let timer;
        const wait = () => {
          clearTimeout(timer);
          timer = setTimeout(look, quiet);
        };
        const watching = new MutationObserver(wait);
        watching.observe(document.body, { childList: true, subtree: true });
        wait();
      }),
    QUIET_MS,
  );
  await painted(page);
}
