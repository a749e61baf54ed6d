// The assistant as a person uses it through the product's calls: a wish, what is asked meanwhile, how it ended.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { rmSync } from 'node:fs';
import { CHROMIUM, FLAGS } from '../chromium.mjs';
import { temporaryFolder } from '../owner.mjs';

/** A Chromium as a person starts it for the assistant. */
export async function startChromium() {
  const profile = temporaryFolder('profile');
  const child = spawn(
    CHROMIUM,
    [
      ...FLAGS,
      '--headless=new',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  );
  const lines = createInterface({ input: child.stderr });
  const address = await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`chromium ended: ${code}`)));
    lines.on('line', (line) => {
      const listening = line.match(/DevTools listening on ws:\/\/([^/]+)\//u);
      if (listening) resolve(`http://${listening[1]}`);
    });
  });
  return {
    address,
    async stop() {
      const exit = once(child, 'exit');
      // With all that it started: they write into the profile.
      process.kill(-child.pid, 'SIGKILL');
      await exit;
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/**
 * `call`: the person's own. `answers(approval)` gives `allow_once`, `allow_for_task` or `deny`; each question is answered
 * once, and is among `asked`.
 */
export async function wish(call, text, answers = () => 'allow_once') {
  const { wish } = await call('assistant.send', { text });
  const asked = [];
  for (;;) {
    const view = await call('assistant.settle', { waitMs: 150 });
    const { approvals } = await call('approval.list', { state: 'waiting' });
    for (const approval of approvals) {
      if (!approval.subject.startsWith('assistant') || asked.some(({ id }) => id === approval.id)) {
        continue;
      }
      asked.push(approval);
      const answer = answers(approval);
      if (answer) await call('approval.resolve', { id: approval.id, answer });
    }
    if (view.wish?.id !== wish) break;
  }
  const { messages } = await call('assistant.messages', { limit: 5000 });
  const own = messages.filter(({ metadata }) => metadata.wish === wish);
  const steps = own.filter(({ metadata }) => metadata.part === 'step');
  const end = own.find(({ metadata }) => metadata.part === 'end');
  return { wish, asked, messages: own, steps, end };
}

/** What was done, in short: `click Find`, `!click Half price` where it could not be. */
export const told = (steps) =>
  steps.map(({ metadata: { success, actionType, label, value } }) =>
    `${success ? '' : '!'}${actionType} ${label ?? value ?? ''}`.trim(),
  );
