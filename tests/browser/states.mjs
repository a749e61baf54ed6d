// What the pages show besides their rest: questions, dialogs, menus, news, failures, waiting, and
// more rows than anybody reads. `act` brings a state about on a page that stands; what it leaves
// behind on the server, `undo` takes back. Nothing here is a test.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { word } from '../window/words.mjs';
import { typedInPalette } from './browser.mjs';
import { button, escape, failing, many, number, waiting } from './stateParts.mjs';
import { TOOL_STATES } from './toolStates.mjs';
import { settled } from './walk.mjs';

const ASKS = 'mkdir -m 777 box';

/** Opens by the keys, as on every width. */
async function palette(page, text) {
  await typedInPalette(page, text);
}

/** Puts the news away. */
const dismissed = async ({ page, w }) => {
  await button(page, w('common.close')).last().click();
  await button(page, w('common.undo')).waitFor({ state: 'detached' });
};

/** A command waits for the person's answer. */
const asked = {
  act: async ({ page, call, w }) => {
    // It is denied below, and that is no failure.
    void call('workspace.run', {
      taskId: 'weekly-report',
      command: ASKS,
    }).catch(() => undefined);
    await button(page, w('approvals.deny')).waitFor();
  },
  undo: async ({ page, w }) => {
    await button(page, w('approvals.deny')).first().click();
    await button(page, w('approvals.deny')).waitFor({ state: 'detached' });
  },
};

/** Opens a task of agents, and one of its tabs. */
function task(title, tab) {
  return async ({ page, w }) => {
    await page.getByRole('option', { name: title }).click();
    if (tab) await page.getByRole('tab', { name: w(tab) }).click();
    await settled(page);
  };
}

export const STATES = [
  { name: 'question-elsewhere', hash: '/tools', ...asked },
  { name: 'question-list', hash: '/workspaces', ...asked },
  {
    name: 'question-here',
    hash: '/workspaces/weekly-report/commands',
    ...asked,
  },
  {
    name: 'command-chosen',
    hash: '/workspaces/site/commands',
    act: ({ page }) => page.getByRole('option', { name: /cat missing/ }).click(),
  },
  {
    name: 'command-blocked',
    hash: '/workspaces/site/commands',
    act: async ({ page }) => {
      await page.getByRole('option', { name: /sudo/ }).click();
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'terminal-open',
    hash: '/workspaces/site/terminal',
    act: ({ page }) => page.locator('.xterm-rows').getByText('red').first().waitFor(),
  },
  {
    name: 'history-difference',
    hash: '/workspaces/site/history',
    act: async ({ page }) => {
      await page
        .getByRole('option', { name: /README\.md/ })
        .first()
        .click();
      await page.getByRole('row').first().waitFor();
    },
  },
  {
    name: 'trash-dialog',
    hash: '/workspaces/site/trash',
    act: ({ page, w }) => button(page, w('workspaces.trash.clear.open')).click(),
    ...escape,
  },
  {
    name: 'network-hosts',
    hash: '/workspaces/site/access',
    act: ({ page, w }) => page.getByRole('radio', { name: w('workspaces.network.hosts') }).click(),
  },
  {
    name: 'grants',
    hash: '/workspaces/weekly-report/access',
    act: async ({ page, call, w }) => {
      const run = call('workspace.run', {
        taskId: 'weekly-report',
        command: ASKS,
      }).catch(() => undefined);
      await button(page, w('approvals.forTask')).click();
      await run;
      await page.getByRole('list', { name: w('workspaces.grants.title') }).waitFor();
    },
    undo: async ({ page, w }) => {
      const list = page.getByRole('list', {
        name: w('workspaces.grants.title'),
      });
      await list.getByRole('button').first().click();
      await list.waitFor({ state: 'detached' });
    },
  },
  {
    name: 'isolation-badge',
    hash: '/workspaces/site',
    act: async ({ page, w }) => {
      const name = w('workspaces.isolation.name').split('{')[0].trim();
      await page
        .getByRole('button', { name: new RegExp(`^${name}`) })
        .first()
        .click();
    },
    ...escape,
  },
  {
    name: 'bind-dialog',
    hash: '/workspaces',
    act: async ({ page, w }) => {
      await page
        .getByRole('button', { name: w('workspaces.bind.open') })
        .first()
        .click();
      await page.getByRole('dialog').waitFor();
    },
    ...escape,
  },
  {
    name: 'file-foreign',
    hash: '/workspaces/site?file=old.txt',
    act: () => undefined,
  },
  {
    name: 'file-binary',
    hash: '/workspaces/site?file=data.bin',
    act: () => undefined,
  },
  {
    name: 'file-deleted',
    hash: '/workspaces/site?file=gone.txt',
    act: async ({ page, w, notes }) => {
      writeFileSync(join(notes, 'site/gone.txt'), 'soon gone\n');
      await page.reload();
      await settled(page);
      await page
        .getByRole('region', { name: 'gone.txt' })
        .getByRole('button', { name: w('common.delete') })
        .click();
      await button(page, w('common.undo')).first().waitFor();
    },
    undo: dismissed,
  },
  {
    name: 'palette',
    hash: '/tools',
    act: ({ page }) => palette(page, ''),
    ...escape,
  },
  {
    name: 'palette-search',
    hash: '/tools',
    act: ({ page }) => palette(page, 'in'),
    ...escape,
  },
  {
    name: 'palette-nothing',
    hash: '/tools',
    act: ({ page }) => palette(page, 'qqqq'),
    ...escape,
  },
  {
    name: 'tool-filter',
    hash: '/tools',
    act: ({ page, w }) =>
      page
        .getByRole('button', { name: new RegExp(`^${w('tools.filter.open')}`) })
        .first()
        .click(),
    ...escape,
  },
  {
    name: 'tools-nothing',
    hash: '/tools',
    act: ({ page, w }) => page.getByRole('searchbox', { name: w('tools.search') }).fill('qqqq'),
    undo: ({ page, w }) => button(page, w('common.clearFilter')).click(),
  },
  {
    name: 'tool-file',
    hash: '/tools/todolist/files',
    act: ({ page }) => page.getByText('todolist.tool.js').first().click(),
  },
  {
    name: 'run-done',
    hash: '/tools/inventory/run',
    act: async ({ page, w }) => {
      await number(page).fill('8');
      await page.keyboard.press('Control+Enter');
      await page.getByText(w('runs.done')).first().waitFor();
    },
  },
  {
    name: 'run-failed',
    hash: '/tools/filesystem/run',
    act: async ({ page, call }) => {
      const { runs } = await call('run.list', {
        tool: 'filesystem',
        failed: true,
        page: { offset: 0, limit: 1 },
      });
      await page.evaluate((run) => (location.hash = `#/activity?run=${run}`), runs[0].id);
      await settled(page);
    },
  },
  {
    name: 'run-wrong',
    hash: '/tools/inventory/run',
    act: async ({ page }) => {
      await number(page).fill('5000');
      await page.keyboard.press('Control+Enter');
      await settled(page);
    },
  },
  {
    name: 'run-earlier',
    hash: '/tools/inventory/run',
    act: async ({ page }) => {
      const line = page.locator('.run-history button.line').nth(1);
      await line.scrollIntoViewIfNeeded();
      await line.click();
    },
  },
  {
    name: 'variable-wrong',
    hash: '/tools/weather/configure',
    act: ({ page }) => number(page).fill('500'),
    undo: ({ page }) => page.keyboard.press('Escape'),
  },
  {
    name: 'log-record',
    hash: '/tools/inventory/log',
    act: ({ page }) =>
      page
        .getByText(/ERROR|执行失败/)
        .first()
        .click()
        .catch(() => page.locator('.log-list [role=option]').last().click()),
  },
  {
    name: 'activity-run',
    hash: '/activity',
    act: async ({ page }) => {
      await page.getByRole('combobox').first().selectOption('run_javascript');
      await settled(page);
      await page
        .getByRole('option', { name: /Monthly sales/ })
        .first()
        .click();
      await page.locator('.picture img, img').first().waitFor();
      await settled(page);
    },
  },
  {
    name: 'activity-nothing',
    hash: '/activity',
    act: async ({ page }) => {
      await page.getByRole('combobox').nth(1).selectOption('agent');
      await settled(page);
    },
  },
  {
    name: 'picture-deleted',
    hash: '/canvas',
    act: async ({ page, call, w }) => {
      const { artifacts } = await call('artifact.list', { limit: 1 });
      await page.evaluate((id) => (location.hash = `#/canvas/${id}`), artifacts[0].id);
      await settled(page);
      await page
        .getByRole('button', { name: w('common.delete') })
        .first()
        .click();
      await button(page, w('common.undo')).first().waitFor();
    },
    undo: async ({ page, w }) => {
      await button(page, w('common.undo')).first().click();
      await settled(page);
    },
  },
  {
    name: 'script-drawn',
    hash: '/canvas/scratchpad',
    act: async ({ page }) => {
      await page.locator('.cm-content').first().click();
      await page.keyboard.press('Control+Enter');
      await page.locator('.scratch-picture .facts').waitFor();
      await settled(page);
    },
  },
  {
    name: 'script-failed',
    hash: '/canvas/scratchpad',
    act: async ({ page }) => {
      await page.locator('.cm-content').first().click();
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(
        "const c = getCanvas(300, 200);\nconsole.log('begun', c.width);\nreturn missing.length;\n",
      );
      await page.keyboard.press('Control+Enter');
      await page.getByRole('alert').first().waitFor();
    },
  },
  {
    name: 'open-endpoint',
    hash: '/settings/server',
    act: async ({ page }) => {
      await page.getByRole('switch').first().click();
      await page.getByRole('dialog').waitFor();
    },
    ...escape,
  },
  {
    name: 'endpoint-tested',
    hash: '/settings/connect',
    act: async ({ page, w }) => {
      await page
        .getByRole('button', { name: w('server.test.run'), exact: true })
        .first()
        .click();
      await page.getByText('run_javascript').first().waitFor();
    },
  },
  {
    name: 'client-http',
    hash: '/settings/connect',
    act: async ({ page, w }) => {
      await page.getByRole('radio', { name: w('server.connect.http') }).check();
      await page.getByText(w('server.connect.masked')).waitFor();
    },
  },
  {
    name: 'client-written',
    hash: '/settings/connect',
    act: async ({ page, w }) => {
      await page.getByRole('tab', { name: w('server.client.cursor'), exact: true }).click();
      // By the first of these pictures; the others find it done.
      const write = page.getByRole('button', { name: w('server.connect.write') });
      if (await write.isVisible()) await write.click();
      await page.getByRole('button', { name: w('server.connect.undo') }).waitFor();
    },
  },
  { name: 'agents-talk', hash: '/agents', act: task('A calculator with tests') },
  { name: 'agents-team', hash: '/agents', act: task('A calculator with tests', 'agents.tabs.team') },
  {
    name: 'agents-programmer',
    hash: '/agents',
    act: async (way) => {
      await task('A calculator with tests', 'agents.tabs.team')(way);
      await way.page.getByRole('treeitem').nth(2).click();
      await way.page.locator('.call-item summary').first().click();
    },
  },
  {
    name: 'agents-changed',
    hash: '/agents',
    act: async (way) => {
      const { page } = way;
      await task('A calculator with tests', 'agents.tabs.team')(way);
      await page.getByRole('treeitem').nth(2).click();
      await page.locator('.call-item summary', { hasText: 'write_file' }).first().click();
      await page.locator('.call-diff table, .call-diff [role=table]').first().waitFor();
    },
  },
  {
    name: 'agents-kept',
    hash: '/agents',
    act: async (way) => {
      await task('A calculator with tests', 'agents.tabs.kept')(way);
      await way.page.locator('.kept-tab button').first().click();
    },
  },
  { name: 'agents-steps', hash: '/agents', act: task('A calculator with tests', 'agents.tabs.steps') },
  { name: 'agents-waits', hash: '/agents', act: task('A calculator for the shell') },
  { name: 'agents-paused', hash: '/agents', act: task('写一首关于海的诗') },
  {
    name: 'agents-budget',
    hash: '/agents',
    act: async (way) => {
      const { page, w } = way;
      await task('A calculator with tests')(way);
      await page.locator('.detail-head').getByRole('button', { name: w('common.more') }).click();
      await page.getByRole('menuitem', { name: w('agents.budget.open') }).click();
      await page.getByRole('dialog').waitFor();
    },
    ...escape,
  },
  {
    name: 'settings-model',
    hash: '/settings/models',
    act: async ({ page, w }) => {
      await page.getByRole('button', { name: w('settings.models.new') }).first().click();
      await page.getByText(w('settings.models.terms.name')).click();
    },
    ...escape,
  },
  {
    name: 'agents-new',
    hash: '/agents',
    act: async ({ page, w }) => {
      await page.getByRole('button', { name: w('agents.new.open') }).first().click();
      await page.getByRole('dialog').waitFor();
    },
    ...escape,
  },
  {
    name: 'cells-notebook',
    hash: '/cells',
    act: async ({ page }) => {
      await page.getByRole('option', { name: /Circles/ }).click();
      await page.locator('[data-cell]').first().waitFor();
    },
  },
  {
    name: 'cells-source',
    hash: '/cells',
    act: async ({ page, w }) => {
      await page.getByRole('option', { name: /Circles/ }).click();
      await page.getByRole('tab', { name: w('cells.tabs.source') }).click();
      await page.getByRole('textbox', { name: w('cells.source.text') }).waitFor();
    },
  },
  {
    name: 'cells-new',
    hash: '/cells',
    act: async ({ page, w }) => {
      await page.getByRole('button', { name: w('cells.new.open') }).first().click();
      await page.getByRole('dialog').waitFor();
    },
    ...escape,
  },
  ...TOOL_STATES,
  { name: 'tools-failed', hash: '/tools', ...failing('tool.list') },
  {
    name: 'log-failed',
    hash: '/tools/inventory/log',
    ...failing('log.window'),
  },
  { name: 'canvas-failed', hash: '/canvas', ...failing('artifact.list') },
  { name: 'activity-failed', hash: '/activity', ...failing('run.list') },
  {
    name: 'workspace-failed',
    hash: '/workspaces/site/history',
    ...failing('workspace.history'),
  },
  { name: 'servers-failed', hash: '/tools/@servers', ...failing('external.list') },
  { name: 'server-unknown', hash: '/tools/@servers/nobody', act: ({ page }) => settled(page) },
  { name: 'agents-failed', hash: '/agents', ...failing('society.list') },
  { name: 'task-unknown', hash: '/agents/nothing', act: ({ page }) => settled(page) },
  { name: 'cells-failed', hash: '/cells', ...failing('cells.list') },
  { name: 'cell-unknown', hash: '/cells/nothing', act: ({ page }) => settled(page) },
  { name: 'assistant-failed', hash: '/assistant', ...failing('assistant.messages') },
  { name: 'prompts-failed', hash: '/prompts', ...failing('prompt.list') },
  { name: 'prompt-unknown', hash: '/prompts/nothing.yaml', act: ({ page }) => settled(page) },
  { name: 'skills-failed', hash: '/prompts/skills', ...failing('skill.list') },
  { name: 'tools-waiting', hash: '/tools', ...waiting('tool.list') },
  { name: 'servers-waiting', hash: '/tools/@servers', ...waiting('external.list') },
  { name: 'agents-waiting', hash: '/agents', ...waiting('society.list') },
  { name: 'cells-waiting', hash: '/cells', ...waiting('cells.list') },
  { name: 'assistant-waiting', hash: '/assistant', ...waiting('assistant.messages') },
  { name: 'prompts-waiting', hash: '/prompts', ...waiting('prompt.list') },
  { name: 'skills-waiting', hash: '/prompts/skills', ...waiting('skill.list') },
  {
    name: 'tool-waiting',
    hash: '/tools/weather/configure',
    ...waiting('tool.variables', 'tool.grants'),
  },
  { name: 'canvas-waiting', hash: '/canvas', ...waiting('artifact.list') },
  { name: 'activity-waiting', hash: '/activity', ...waiting('run.list') },
  {
    name: 'tools-many',
    hash: '/tools',
    ...many('tool.list', 'tools', (tool, index) => ({
      ...tool,
      name: `${tool.name}-${index}`,
    })),
  },
  {
    name: 'activity-many',
    hash: '/activity',
    ...many('run.list', 'runs', (run, index) => ({
      ...run,
      id: `run-${index}`,
      startedAt: run.startedAt - index * 60_000,
    })),
  },
];

/** Words of the page's language. */
export const wordsOf = (language) => (path) => word(language, path);
