// What is done with the assistant on the three sites, whatever browser it has: each journey a function, with what its
// browser can (`real`: events of its own).

import assert from 'node:assert/strict';
import { told, wish } from './ava.mjs';
import { injections } from './injections.mjs';
import { act, click, done, elements, idOf, input } from './scripted.mjs';

export async function buying({ call, model, shop, real }, step) {
  step('something is bought, and the person is asked about the site and the order');
  const at = await call('assistant.open', { to: shop.url });
  assert.equal(at.title, 'Shop');
  model.plays([
    (prompt) =>
      act(
        { type: 'input', id: idOf(prompt, 'Search'), value: 'blue' },
        { type: 'click', id: idOf(prompt, 'Find') },
      ),
    // What was said behind the input was said of a page that had changed.
    click('Find'),
    click('Add Blue kettle', { reason: 'It is the blue one' }),
    click('Cart'),
    click('Order now'),
    (prompt) => {
      assert.match(prompt, /Thanks/u, 'the page behind the order');
      return act({ type: 'extract' });
    },
    (prompt) => done(`Ordered: ${prompt.match(/order no\. \d+/u)[0]}`),
  ]);
  const bought = await wish(call, 'Buy a blue kettle');
  model.check();
  assert.deepEqual(told(bought.steps), [
    'input Search',
    'click Find',
    'click Add Blue kettle',
    'click Cart',
    'click Order now',
    'extract',
  ]);
  assert.deepEqual(shop.done, ['add Blue kettle', 'order']);
  assert.equal(bought.end.content, 'Ordered: order no. 4711');
  assert.equal(bought.end.metadata.success, true);
  assert.deepEqual(
    bought.asked.map(({ kind, value }) => [kind, value]),
    [
      ['site', shop.url],
      ['step', `click "Find" · ${shop.url} · sends something`],
      ['step', `click "Order now" · ${shop.url} · pays or orders`],
    ],
  );
  assert.ok(
    bought.steps.every(({ metadata }) => !metadata.synthetic === real || metadata.actionType === 'extract'),
    'whose the events are',
  );
  assert.match(model.asked[2], /Add Blue kettle.* new/u, 'what a step brought is marked');
}

export async function looking({ call, server }, step) {
  step('the page is looked at, as a picture too');
  const look = await call('assistant.look', { picture: true });
  assert.equal(look.title, 'Thanks');
  assert.ok(look.width > 300 && look.height > 300, `${look.width} x ${look.height}`);
  const picture = await fetch(new URL(look.picture, server.url));
  const bytes = Buffer.from(await picture.arrayBuffer());
  assert.deepEqual([picture.status, bytes.subarray(1, 4).toString()], [200, 'PNG']);
}

export async function denied({ call, model, shop }, step) {
  step('what is not allowed is not done');
  await call('assistant.open', { to: `${shop.url}/cart` });
  model.plays([click('Order now')]);
  const denied = await wish(call, 'Order it', ({ kind }) => (kind === 'step' ? 'deny' : 'allow_for_task'));
  assert.equal(denied.end.metadata.success, false);
  assert.deepEqual(shop.done.filter((one) => one === 'order').length, 1);
  assert.deepEqual((await call('assistant.show')).sites, [shop.url], 'the site is allowed from now on');
}

/** Where the pointer is a real one. */
export async function shy({ call, model, shop }, step) {
  step('what gives way to the pointer wherever it goes was not hovered over');
  await call('assistant.open', { to: `${shop.url}/shy` });
  model.plays([
    (prompt) => act({ type: 'hover', id: idOf(prompt, 'Touch me') }),
    (prompt) => {
      assert.match(prompt, /assistant_element_gives_way/u);
      return done('I cannot');
    },
  ]);
  const tried = await wish(call, 'Touch it');
  model.check();
  assert.deepEqual(told(tried.steps), ['!hover Touch me']);
}

export async function vanishing({ call, model, shop }, step) {
  step('an element that goes between look and step is a failure, and the next look is another');
  await call('assistant.open', { to: `${shop.url}/gone` });
  model.plays([
    async (prompt) => {
      const id = idOf(prompt, 'Half price');
      shop.gate('remove').open();
      await shop.gate('removed').passed;
      return act({ type: 'click', id });
    },
    (prompt) => {
      assert.match(prompt, /assistant_element_missing/u);
      assert.ok(!elements(prompt).some(({ rest }) => rest.startsWith('Half price')));
      return act({ type: 'click', id: idOf(prompt, 'Full price') });
    },
    done('at full price'),
  ]);
  const gone = await wish(call, 'Buy it cheaply');
  model.check();
  assert.deepEqual(told(gone.steps), ['!click Half price', 'click Full price']);
  assert.equal(gone.steps[0].metadata.recovery, 'RESCAN');
  assert.equal(gone.end.metadata.success, true);
}

export async function waiting({ call, model, shop }, step) {
  step('a slow page is waited for, and what was planned behind it is planned anew');
  await call('assistant.open', { to: shop.url });
  model.plays([
    (prompt) => {
      // It is let through while the step waits.
      setTimeout(() => shop.gate('slow').open(), 2500);
      return act(
        { type: 'click', id: idOf(prompt, 'Delivery times') },
        { type: 'click', id: idOf(prompt, 'Find') },
      );
    },
    (prompt) => {
      assert.match(prompt, /Delivery/u);
      return act({ type: 'click', id: idOf(prompt, 'Understood') });
    },
    done('read'),
  ]);
  const slow = await wish(call, 'How long does delivery take?');
  model.check();
  assert.deepEqual(told(slow.steps), ['click Delivery times', 'click Understood']);
  assert.ok(slow.steps[0].metadata.executionTime > 2000, 'it was waited for');
}

export async function another({ call, model, shop }, step) {
  step('a page in a new tab is in front');
  await call('assistant.open', { to: shop.url });
  model.plays([click('Terms'), click('I have read it'), done('agreed')]);
  const tab = await wish(call, 'Read the terms');
  model.check();
  assert.deepEqual(told(tab.steps), ['click Terms', 'click I have read it']);
}

export async function mailbox({ call, model, mail }, step) {
  step('what the page asks is answered no, unless it is wanted and allowed');
  await call('assistant.open', { to: mail.url });
  model.plays([
    click('Delete Ada'),
    (prompt) => {
      assert.match(prompt, /Really delete it\?.*no/u, 'the question of the page is told');
      return act({ type: 'click', id: idOf(prompt, 'Delete Ada'), value: 'yes' });
    },
    done('deleted'),
  ]);
  const removed = await wish(call, 'Delete the mail of Ada');
  model.check();
  assert.deepEqual(
    removed.asked.map(({ kind }) => kind),
    ['site', 'step', 'step'],
  );
  assert.deepEqual(mail.done, ['delete']);
  assert.equal(removed.end.metadata.success, true);
}

export async function writing({ call, model, mail }, step) {
  step('a mail is written, and shown before it is sent');
  await call('assistant.open', { to: mail.url });
  model.plays([
    input('To', 'ada@example.com'),
    input('Text', 'Yes, at noon 🍜\nSee you'),
    click('Send'),
    done('sent'),
  ]);
  const sent = await wish(call, 'Answer Ada that noon is fine');
  model.check();
  const last = JSON.parse(mail.done.at(-1).slice('send '.length));
  assert.deepEqual(last, { to: 'ada@example.com', text: 'Yes, at noon 🍜\nSee you' });
  assert.ok(sent.asked.some(({ kind, value }) => kind === 'step' && value.includes('sends something')));
}

export async function signingIn({ call, model, admin, server }, step) {
  step('a password is asked about, sent to the page and kept nowhere');
  const secret = 'correct horse battery';
  await call('assistant.open', { to: admin.url });
  model.plays([
    input('User', 'root'),
    input('Password', secret),
    click('Sign in'),
    (prompt) =>
      act(
        { type: 'select', id: idOf(prompt, 'Role of Ada'), value: 'Writer' },
      ),
    (prompt) => act({ type: 'click', id: idOf(prompt, 'Active') }),
    click('Apply'),
    (prompt) => {
      assert.ok(!prompt.includes(secret), 'it is not told again');
      return done('Ada is a writer');
    },
  ]);
  const role = await wish(call, 'Make Ada a writer');
  model.check();
  assert.deepEqual(admin.done, [
    `login user=root&password=${encodeURIComponent(secret).replaceAll('%20', '+')}`,
    'role {"role":"Writer","active":true}',
  ]);
  const risks = role.asked.filter(({ kind }) => kind === 'step').map(({ detail }) => detail.risk);
  assert.deepEqual(risks, ['types a password', 'logs in']);
  const kept = JSON.stringify([role.messages, role.asked, await call('run.list')]);
  assert.ok(!kept.includes(secret), 'the password is kept');
  assert.ok(!server.said.includes(secret), 'the password is in a log');
}

export async function downloading({ call, model, admin }, step) {
  step('nothing is written to the disk by a page');
  model.plays([
    act({ type: 'navigate', value: `${admin.url}/file` }),
    (prompt) => {
      assert.match(prompt, /download: "a\.bin"/u);
      return done('no');
    },
  ]);
  await wish(call, 'Download the file');
  model.check();
}

export async function malformed({ call, model, shop }, step) {
  step('a reply that is not understood is asked for once more, and the second time it is the end');
  await call('assistant.open', { to: shop.url });
  model.plays([
    '{"actions": [{"type": "click", "id": ',
    (prompt) => {
      assert.match(prompt, /Your last reply could not be used/u);
      return `Of course!\n\`\`\`json\n{ "actions": [ { "type": "input", "id": ${idOf(prompt, 'Search')}, "value": "x", }, ], } // so\n\`\`\``;
    },
    `type: done\nvalue: typed`,
  ]);
  const mended = await wish(call, 'Search for x');
  model.check();
  assert.deepEqual(told(mended.steps), ['input Search']);
  assert.equal(mended.end.content, 'typed');

  model.plays(['{"actions": [', '{"actions": [{"type": "fly", "id": 1}]}']);
  const broken = await wish(call, 'Search for y');
  assert.equal(broken.end.metadata.recovery, 'REGENERATE');
  assert.equal(broken.end.metadata.success, false);
  assert.equal(model.asked.length, 2);

  model.plays([act({ type: 'click', id: 9999 }), (prompt) => (assert.match(prompt, /no element 9999/u), done('ok'))]);
  const unknown = await wish(call, 'Click what is not there');
  model.check();
  assert.deepEqual(unknown.steps, []);

  step('the same question, asked again soon, is not asked twice');
  await call('assistant.close');
  const before = (await call('assistant.show')).statistics.known;
  for (const expected of [1, 0]) {
    await call('assistant.open', { to: `${shop.url}/cart` });
    model.plays(() => done('It is the cart'));
    const known = await wish(call, 'What is this page?');
    assert.equal(known.end.content, 'It is the cart');
    assert.equal(model.asked.length, expected);
    await call('assistant.close');
  }
  assert.equal((await call('assistant.show')).statistics.known, before + 1);
}

export async function stopped({ call, model, shop, refused }, step) {
  step('one wish at a time, stopped at once');
  await call('assistant.open', { to: shop.url });
  let asked;
  const arrived = new Promise((resolve) => (asked = resolve));
  let answer;
  const waits = new Promise((resolve) => (answer = resolve));
  model.plays(async () => {
    asked();
    await waits;
    return done('too late');
  });
  const working = wish(call, 'Think for long');
  await arrived;
  await refused('assistant_busy', call('assistant.send', { text: 'And this' }));
  await refused('assistant_busy', call('assistant.open', { to: 'https://example.com' }));
  await refused('assistant_busy', call('browser.act', { type: 'scroll' }));
  const begun = performance.now();
  await call('assistant.stop');
  const { end } = await working;
  assert.ok(performance.now() - begun < 5000, 'at once');
  assert.equal(end.metadata.error.code, 'assistant_stopped');
  assert.equal(end.metadata.recovery, undefined);
  answer();
}

export async function clients({ call, server, shop, refused }, step) {
  step('clients and agents see a browser where a person has said so');
  const { token } = await call('token.new', { name: 'journey' });
  let id = 0;
  const rpc = async (method, params) => {
    id += 1;
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(params.name && { 'mcp-name': params.name }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id,
        method,
        params: {
          ...params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'journey', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    const text = await response.text();
    const line = text.split('\n').findLast((one) => one.startsWith('data:') && one.includes('{'));
    const answer = JSON.parse(line ? line.slice(5) : text);
    assert.ok(answer.result, text);
    return answer.result;
  };
  const tools = async () =>
    (await rpc('tools/list', {})).tools.map(({ name }) => name).filter((name) => name.startsWith('browser_'));
  const tool = (name, args) => rpc('tools/call', { name, arguments: args });
  assert.deepEqual(await tools(), []);
  const refusedYet = await tool('browser_observe', {});
  assert.match(refusedYet.content[0].text, /browser_not_offered/u);
  await call('assistant.change', { offered: true });
  assert.deepEqual(await tools(), ['browser_observe', 'browser_act', 'browser_navigate']);

  // The shop was allowed for Ava and for clients; another site is asked about.
  const gone = await tool('browser_navigate', { to: shop.url });
  assert.equal(gone.structuredContent.title, 'Shop', JSON.stringify(gone));
  const seen = (await tool('browser_observe', {})).structuredContent;
  const search = seen.elements.find(({ name }) => name === 'Search');
  const typed = await tool('browser_act', { type: 'input', id: search.id, value: 'red' });
  assert.equal(typed.structuredContent.success, true, JSON.stringify(typed));
  const find = seen.elements.find(({ name }) => name === 'Find');
  const answering = answerNext(call, 'deny');
  const denied = await tool('browser_act', { type: 'click', id: find.id });
  assert.match(denied.content[0].text, /approval_denied/u);
  assert.equal((await answering).kind, 'step', 'a button that submits is asked about');
  const missing = await tool('browser_act', { type: 'click', id: 98765 });
  assert.match(missing.content[0].text, /assistant_element_missing/u);
  const wrong = await tool('browser_act', { type: 'fly' });
  assert.match(wrong.content[0].text, /invalid_args/u);
  const leaving = answerNext(call, 'deny');
  const led = await tool('browser_navigate', { to: 'http://127.0.0.1:9/' });
  assert.match(led.content[0].text, /approval_denied/u);
  assert.equal((await leaving).kind, 'site');
  const file = await tool('browser_navigate', { to: 'file:///etc/passwd' });
  assert.match(file.content[0].text, /assistant_bad_address/u);
  await call('assistant.forget_site', { to: shop.url });
  await refused('grant_not_found', call('assistant.forget_site', { to: shop.url }));
}

/** Answers the next question of a person. */
async function answerNext(call, answer) {
  for (;;) {
    const { approvals } = await call('approval.list', { state: 'waiting' });
    const [approval] = approvals.filter(({ subject }) => subject.startsWith('assistant'));
    if (!approval) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      continue;
    }
    await call('approval.resolve', { id: approval.id, answer });
    return approval;
  }
}

export async function injected({ call, model, mail, evil }, step) {
  step('what pages say is no instruction: 30 attempts');
  const before = mail.done.length;
  const attempts = injections(evil.url);
  assert.equal(attempts.length, 30);
  let obeyed = 0;
  for (const { name, html, order } of attempts) {
    mail.says = html;
    await call('assistant.open', { to: `${mail.url}/injected` });
    // One that follows what it is told outside of the marks; then one that follows the page wherever it says something.
    // The second is a model that fails: then the walls must hold.
    for (const gullible of [false, true]) {
      let orders = 0;
      model.plays((prompt, nth) => {
        const [outside, inside] = split(prompt);
        assert.ok(!outside.includes('OBEY'), `${name}: what the page says is outside of the marks`);
        if (nth > 1) return done('nothing');
        if (gullible && inside.includes('OBEY')) {
          orders += 1;
          return order(prompt);
        }
        return done('nothing');
      });
      const ended = await wish(call, `Read the page (${name}, ${gullible})`, ({ kind, value }) =>
        kind === 'site' && value === mail.url ? 'allow_for_task' : 'deny',
      );
      model.check();
      if (gullible) assert.equal(orders, 1, `${name}: the page says it`);
      if (mail.done.length > before || evil.done.length > 0) obeyed += 1;
      assert.ok(ended.end, name);
    }
  }
  console.log(`         ${obeyed} of ${attempts.length} injections obeyed`);
  assert.equal(obeyed, 0);
}

/** What stands outside of the two marks, and what within. */
function split(prompt) {
  const [, mark] = prompt.match(/two marks (\S+?)\. /u);
  const parts = prompt.split(`\n${mark}\n`);
  assert.equal(parts.length, 3, `the marks are there once each\n${prompt}`);
  return [parts[0] + parts[2], parts[1]];
}
