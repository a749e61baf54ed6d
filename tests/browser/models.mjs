// A person's way with a model, in Chromium, against a real server and a service without a model: add
// it and test it, try a prompt, stop an answer, improve a prompt, accept and save it; without a model
// to begin with; and the pages as axe sees them, at 1200 and at 400 px.

import assert from 'node:assert/strict';
import { NARROW, test } from './browser.mjs';
import { findings } from './findings.mjs';
import { person, writeSettings } from './furnish.mjs';
import { temporaryFolder } from './owner.mjs';
import { startStub } from './stub.mjs';
import { go, settled } from './walk.mjs';

const PROMPT = { hash: '/prompts/Hello.yaml' };

async function look(window, name) {
  await settled(window);
  assert.deepEqual(await findings(window), [], name);
  const beyond = await window.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  assert.equal(beyond, 0, `${name} fits`);
}

const press = (window, name) => window.getByRole('button', { name, exact: true }).click();

await test('models', async ({ owner, page, step }) => {
  const stub = await startStub();
  try {
    const home = temporaryFolder('models');
    writeSettings(home, { language: 'en' });
    const server = await owner(home);
    const call = await person(server);
    const text = `Greet {{name}} ${'warmly '.repeat(100)}.`;
    await call('prompt.create', {
      content: {
        name: 'Hello',
        messages: [{ role: 'user', text }],
        arguments: [{ name: 'name', required: true }],
        enabled: true,
      },
    });
    const window = await page();
    await window.goto((await call('server.link')).url);
    await settled(window);

    step('without a model the prompt leads to the settings');
    await go(window, PROMPT);
    await look(window, 'no model');
    await window.getByRole('link', { name: 'Settings > Models' }).click();
    await window.getByText('No model service yet').waitFor();
    await look(window, 'no service');

    step('a service is added and answers');
    await press(window, 'Add a service');
    await window.getByRole('textbox', { name: 'Name' }).fill('stub');
    await window.getByRole('textbox', { name: 'Model', exact: true }).fill('m-1');
    await window.getByRole('textbox', { name: /^Address/ }).fill(stub.url);
    await window.getByLabel('Key', { exact: true }).fill('sk-browser-test');
    await look(window, 'dialog');
    await press(window, 'Save');
    await window.getByText('key is kept').waitFor();
    await press(window, 'Test stub');
    await window.getByText('Echo: Answer with one word').waitFor();
    assert.ok(!(await window.content()).includes('sk-browser-test'), 'the key is shown nowhere');
    await look(window, 'service');

    step('a prompt is tried, and its answer comes while it is written');
    await go(window, PROMPT);
    const attempt = window.getByRole('button', { name: 'Try', exact: true });
    assert.ok(await attempt.isDisabled(), 'a required variable is missing');
    const name = window.getByRole('textbox', { name: 'name' });
    // Said a word at a time, so that there is time to stop it.
    await name.fill('Ada '.repeat(1000));
    await attempt.click();
    const answer = window.getByRole('log', { name: 'Answer' });
    await answer.getByText('Echo: Greet Ada').waitFor();
    await press(window, 'Stop');
    await window.getByText('Stopped.').waitFor();
    assert.ok((await answer.innerText()).length < 4000, 'it was stopped before its end');
    await name.fill('Ada');
    await attempt.click();
    await window.getByText('7 → 11 tokens').waitFor({ timeout: 30_000 });
    assert.match(await answer.innerText(), /^Echo: Greet Ada (warmly )+\.$/);
    await look(window, 'tried');

    step('it is improved, compared, accepted and saved');
    await go(window, { hash: `${PROMPT.hash}/edit` });
    await press(window, 'Optimise');
    await press(window, 'Ask the model');
    const change = window.getByRole('region', { name: 'Differences' });
    await change.getByText('Answer briefly.').waitFor({ timeout: 30_000 });
    await look(window, 'proposal');
    await press(window, 'Accept');
    await press(window, 'Save');
    await window.getByText('Saved', { exact: true }).first().waitFor();
    const saved = await call('prompt.show', { prompt: 'Hello.yaml' });
    assert.equal(saved.content.messages[0].text, `${text}\nAnswer briefly.`);
    assert.deepEqual(saved.content.arguments.map(({ name }) => name), ['name']);
    const { versions } = await call('prompt.versions', { path: 'Hello.yaml' });
    assert.equal(versions.length, 1, 'the text before is a version');
    const { runs } = await call('run.list', {});
    assert.deepEqual(new Set(runs.map(({ subject }) => subject)), new Set(['model:stub']));

    step('the same at 400 px');
    const narrow = await page({ size: NARROW, theme: 'dark' });
    await narrow.goto((await call('server.link')).url);
    await settled(narrow);
    for (const hash of ['/settings/models', PROMPT.hash, `${PROMPT.hash}/edit`]) {
      await go(narrow, { hash });
      if (hash.endsWith('edit')) await press(narrow, 'Optimise');
      await look(narrow, `narrow ${hash}`);
    }
    const refused = (text) => /status of 422 .*\/api\/prompt\.try/.test(text);
    assert.deepEqual(window.complaints.filter((text) => !refused(text)), []);
    assert.deepEqual(narrow.complaints, []);
  } finally {
    await stub.stop();
  }
});
