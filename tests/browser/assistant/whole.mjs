// The whole of the assistant's journeys, in whatever browser it is given: what it reaches, what it is stopped by, and what
// pages cannot talk it into.

import assert from 'node:assert/strict';
import { test } from '../browser.mjs';
import { person, writeSettings } from '../furnish.mjs';
import { temporaryFolder } from '../owner.mjs';
import * as journeys from './journeys.mjs';
import { Model } from './scripted.mjs';
import { admin, evil, mail, shop } from './sites.mjs';

const started = async (...all) => Promise.all(all.map((one) => one.start()));

/** `start` gives a browser's address for what the settings call `browser`, and ends it by `stop`. */
export const whole = (name, browser, start) => test(name, async ({ owner, step }) => {
  const driven = await start();
  const model = new Model();
  const sites = { shop: shop(), mail: mail(), admin: admin(), evil: evil() };
  await started(model, ...Object.values(sites));
  const server = await (async () => {
    const home = temporaryFolder(name);
    writeSettings(home, {
      language: 'en',
      models: {
        services: [{ name: 'scripted', protocol: 'openai', baseUrl: model.url, model: 'm' }],
      },
      assistant: { browser, address: driven.address },
    });
    return owner(home);
  })();
  const call = await person(server);
  const refused = (code, promise) =>
    assert.rejects(promise, (error) => error.message.includes(`: ${code}: `), code);
  const session = { server, call, model, refused, real: true, ...sites };
  try {
    step('what cannot be asked');
    await refused('assistant_empty', call('assistant.send', { text: ' \n\t ' }));
    await refused('assistant_no_page', call('assistant.look'));
    for (const to of ['file:///etc/passwd', 'javascript:alert(1)', 'chrome://settings', driven.address, '']) {
      await refused('assistant_bad_address', call('assistant.open', { to }));
    }

    await call('assistant.open', { to: sites.shop.url });
    await journeys.buying(session, step);
    await journeys.looking(session, step);
    await journeys.denied(session, step);
    await journeys.shy(session, step);
    await journeys.vanishing(session, step);
    await journeys.waiting(session, step);
    await journeys.another(session, step);
    await call('assistant.close');
    await journeys.mailbox(session, step);
    await journeys.writing(session, step);
    await journeys.signingIn(session, step);
    // WebDriver knows of no downloads: neither refuses nor tells of them.
    if (browser === 'cdp') await journeys.downloading(session, step);
    await journeys.malformed(session, step);
    await journeys.stopped(session, step);
    await journeys.clients(session, step);
    await journeys.injected(session, step);

    step('each step is in the audit; the conversation can be cleared');
    const view = await call('assistant.show');
    assert.ok(view.statistics.fulfilled >= 6 && view.statistics.median > 0, JSON.stringify(view.statistics));
    await call('assistant.clear');
    assert.deepEqual((await call('assistant.messages')).messages, []);
    assert.deepEqual(sites.evil.done, [], 'nobody was led away');
  } finally {
    for (const one of [model, ...Object.values(sites)]) one.stop();
    await driven.stop();
  }
});
