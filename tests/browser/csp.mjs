// The page obeys its own policy: every page and tab without one complaint in the console, and
// what the policy forbids does not run.

import assert from 'node:assert/strict';
import { test } from './browser.mjs';
import { furnish, writeSettings } from './furnish.mjs';
import { temporaryFolder } from './owner.mjs';
import { FULL, go, settled } from './walk.mjs';

await test('csp', async ({ owner, page, step }) => {
  const home = temporaryFolder('csp');
  writeSettings(home, { language: 'en' });
  const server = await owner(home);
  const call = await furnish(server);

  step('headers');
  const answer = await fetch(server.url);
  const policy = answer.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|\*|data:/);
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');

  step('every page and tab');
  const window = await page();
  await window.goto((await call('server.link')).url);
  await settled(window);
  for (const one of FULL) {
    await go(window, one);
    assert.deepEqual([one.name, ...window.complaints], [one.name]);
  }

  step('what the policy forbids does not run');
  const ran = await window.evaluate(async () => {
    const inline = document.createElement('script');
    inline.textContent = 'globalThis.ranInline = true';
    document.body.append(inline);
    const away = await fetch('http://127.0.0.1:9/').then(
      () => 'fetched',
      () => 'refused',
    );
    // In a task of its own: what a driver evaluates directly is excepted from the policy.
    const evaluated = await new Promise((done) => {
      setTimeout(() => {
        try {
          done(new Function('return true')());
        } catch (error) {
          done(error.name);
        }
      });
    });
    return { inline: globalThis.ranInline === true, away, evaluated };
  });
  assert.deepEqual(ran, { inline: false, away: 'refused', evaluated: 'EvalError' });
  assert.ok(window.complaints.some((text) => /Content Security Policy/i.test(text)));
});
