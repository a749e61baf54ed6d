// Steps of the assistant on pages, in Chromium: what they change for pages that listen as pages do, where they point,
// and that what cannot be done is never said to be done.

import assert from 'node:assert/strict';
import { end, show, showApp, test } from './pageTest.mjs';

/** The id of the element that a page calls so. */
const idOf = (page, name) =>
  page.evaluate(
    (name) => pmPage.scan(1000).elements.find((one) => one.name === name || one.text === name)?.id,
    name,
  );

async function perform(page, type, name, value) {
  const id = name === undefined ? undefined : await idOf(page, name);
  return page.evaluate((step) => pmPage.perform(step), { type, id, value, name });
}

const DONE = { success: true, synthetic: true };
const refused = (refusal) => ({ success: false, refusal });
const text = (page, selector) => page.locator(selector).innerText();

const VUE = `
  import { createApp, h, ref, withDirectives, vModelText, vModelSelect, vModelCheckbox } from 'vue';
  createApp({
    setup() {
      const [name, size, agreed, sent] = [ref(''), ref('s'), ref(false), ref('')];
      return () => h('form', { onSubmit: (event) => { event.preventDefault(); sent.value = 'sent ' + name.value; } }, [
        withDirectives(h('input', { 'aria-label': 'Name', 'onUpdate:modelValue': (now) => (name.value = now) }), [[vModelText, name.value]]),
        withDirectives(h('select', { 'aria-label': 'Size', 'onUpdate:modelValue': (now) => (size.value = now) },
          [h('option', { value: 's' }, 'Small'), h('option', { value: 'l' }, 'Large')]), [[vModelSelect, size.value]]),
        withDirectives(h('input', { type: 'checkbox', 'aria-label': 'Agree', 'onUpdate:modelValue': (now) => (agreed.value = now) }), [[vModelCheckbox, agreed.value]]),
        h('output', [name.value, size.value, String(agreed.value), sent.value].join('|')),
      ]);
    },
  }).mount('#app');`;

const REACT = `
  import { createElement as h, useState } from 'react';
  import { createRoot } from 'react-dom/client';
  function App() {
    const [name, setName] = useState('');
    const [size, setSize] = useState('s');
    const [agreed, setAgreed] = useState(false);
    const [sent, setSent] = useState('');
    return h('form', { onSubmit: (event) => { event.preventDefault(); setSent('sent ' + name); } },
      h('input', { 'aria-label': 'Name', value: name, onChange: (event) => setName(event.target.value) }),
      h('select', { 'aria-label': 'Size', value: size, onChange: (event) => setSize(event.target.value) },
        h('option', { value: 's' }, 'Small'), h('option', { value: 'l' }, 'Large')),
      h('input', { type: 'checkbox', 'aria-label': 'Agree', checked: agreed, onChange: (event) => setAgreed(event.target.checked) }),
      h('output', null, [name, size, String(agreed), sent].join('|')));
  }
  createRoot(document.getElementById('app')).render(h(App));`;

for (const [framework, source] of Object.entries({ Vue: VUE, React: REACT })) {
  await test(`a form that ${framework} controls`, async (page) => {
    await showApp(page, source);
    assert.deepEqual(await perform(page, 'input', 'Name', 'first'), DONE);
    assert.deepEqual(await perform(page, 'input', 'Name', '王 & co'), DONE);
    assert.deepEqual(await perform(page, 'select', 'Size', 'Large'), DONE);
    assert.deepEqual(await perform(page, 'click', 'Agree'), DONE);
    await page.locator('output', { hasText: '王 & co|l|true|' }).waitFor();
    assert.deepEqual(await perform(page, 'key', 'Name', 'Enter'), DONE);
    await page.locator('output', { hasText: '王 & co|l|true|sent 王 & co' }).waitFor();
    assert.deepEqual(await perform(page, 'input', 'Agree', 'true'), DONE);
    assert.deepEqual(await perform(page, 'input', 'Agree', 'false'), DONE);
    await page.locator('output', { hasText: '|false|' }).waitFor();
  });
}

await test('each kind of click that pages listen to', async (page) => {
  await show(
    page,
    '<p id="log"></p>' +
      ['click', 'mousedown', 'pointerup', 'mouseup']
        .map((type) => `<div id="${type}">on ${type}</div>`)
        .join('') +
      '<div id="hover">over</div>',
  );
  await page.evaluate(() => {
    const log = document.getElementById('log');
    for (const type of ['click', 'mousedown', 'pointerup', 'mouseup']) {
      document.getElementById(type).addEventListener(type, () => log.append(`${type} `));
    }
    const hover = document.getElementById('hover');
    hover.style.cursor = 'pointer';
    hover.addEventListener('mouseenter', () => log.append('over '));
  });
  for (const type of ['click', 'mousedown', 'pointerup', 'mouseup']) {
    assert.deepEqual(await perform(page, 'click', `on ${type}`), DONE);
  }
  assert.deepEqual(await perform(page, 'hover', 'over'), DONE);
  assert.equal(await text(page, '#log'), 'click mousedown pointerup mouseup over');
});

await test('a click comes as of a pointer: where it is, at the innermost, with all that a press does', async (page) => {
  await show(
    page,
    `<style>* { margin: 0 }</style><input aria-label="Field" value="x">
     <div id="list" style="width:200px"><p style="height:40px">item</p></div>
     <button id="tool" style="display:block">tool</button><p id="log"></p>`,
  );
  await page.evaluate(() => {
    const log = (text) => document.getElementById('log').append(`${text} `);
    document.getElementById('list').addEventListener('click', (event) => {
      const { x, y, width, height } = event.target.getBoundingClientRect();
      const { clientX, clientY, target } = event;
      log(`${target.localName} ${clientX - x - width / 2} ${clientY - y - height / 2}`);
    });
    document
      .getElementById('tool')
      .addEventListener('mousedown', (event) => event.preventDefault());
    const field = document.querySelector('input');
    field.addEventListener('blur', () => log('left'));
    field.focus();
  });
  // Whoever takes the press keeps the focus where it is; others take it.
  assert.deepEqual(await perform(page, 'click', 'tool'), DONE);
  assert.deepEqual(await perform(page, 'click', 'item'), DONE);
  assert.equal(await text(page, '#log'), 'left p 0 0');
});

await test('what the pointer comes over, and leaves', async (page) => {
  await show(
    page,
    `<ul id="bar"><li id="one"><button>One</button></li><li id="two"><button>Two</button></li></ul><p id="log"></p>`,
  );
  await page.evaluate(() => {
    for (const id of ['bar', 'one', 'two'])
      for (const type of ['mouseenter', 'mouseleave'])
        document
          .getElementById(id)
          .addEventListener(type, () =>
            document.getElementById('log').append(`${id} ${type.slice(5)}; `),
          );
  });
  for (const name of ['One', 'One', 'Two']) await perform(page, 'hover', name);
  assert.equal(await text(page, '#log'), 'bar enter; one enter; one leave; two enter;');
});

await test('keys do what they do in a browser, and are told by number as well', async (page) => {
  await show(
    page,
    `<form id="f"><input aria-label="Name"><input aria-label="Other"><button type="button">no</button><button id="send">Send</button></form>
     <input type="number" aria-label="Number" value="3" max="4"><input type="checkbox" aria-label="Box">
     <textarea aria-label="Text"></textarea><p id="log"></p>`,
  );
  await page.evaluate(() => {
    const log = (said) => document.getElementById('log').append(`${said} `);
    const form = document.getElementById('f');
    form.addEventListener('submit', (event) => event.preventDefault());
    document.getElementById('send').addEventListener('click', () => log('sent'));
    form.elements[0].addEventListener('keydown', ({ keyCode }) => log(keyCode));
    // A search as one types.
    form.elements[1].addEventListener('keyup', ({ target }) => log(target.value));
    document
      .querySelector('[type=number]')
      .addEventListener('input', ({ target }) => log(target.value));
  });
  for (const key of ['a', 'B', 'Backspace', 'c', 'Enter']) {
    assert.deepEqual(await perform(page, 'key', 'Name', key), DONE);
  }
  assert.equal(await page.inputValue('[aria-label=Name]'), 'ac');
  await perform(page, 'input', 'Other', 'find');
  for (const key of ['ArrowUp', 'ArrowUp']) await perform(page, 'key', 'Number', key);
  await perform(page, 'key', 'Box', ' ');
  assert.ok(await page.isChecked('[type=checkbox]'));
  for (const key of ['1', 'Enter', '2']) await perform(page, 'key', 'Text', key);
  assert.equal(await page.inputValue('textarea'), '1\n2');
  assert.equal(await text(page, '#log'), '65 66 8 67 13 sent find 4');
});

await test('text that is edited in place', async (page) => {
  await show(
    page,
    '<div contenteditable aria-label="Note">old <b>words</b></div><p id="said"></p>',
  );
  await page.evaluate(() => {
    const note = document.querySelector('[contenteditable]');
    note.addEventListener(
      'input',
      () => (document.getElementById('said').textContent = note.textContent),
    );
  });
  assert.deepEqual(await perform(page, 'input', 'Note', 'new words'), DONE);
  assert.equal(await text(page, '#said'), 'new words');
});

await test('what cannot be done is refused, and nothing happens', async (page) => {
  await show(
    page,
    `<button id="gone">gone</button><button disabled>off</button><button style="display:none" id="hidden">hidden</button>
     <button id="renamed">before</button><input readonly aria-label="fixed" value="as it is">
     <div style="position:relative"><button>covered</button><div style="position:absolute;inset:0;background:white"></div></div>
     <select aria-label="Pick"><option>one<option disabled>two</select><button>plain</button><p id="log"></p>`,
  );
  const clicks = await page.evaluate(() => {
    globalThis.clicks = 0;
    for (const button of document.querySelectorAll('button'))
      button.addEventListener('click', () => (globalThis.clicks += 1));
    document.getElementById('hidden').style.display = '';
    return pmPage.scan(100).elements.map(({ id, name, text }) => [name || text, id]);
  });
  const ids = new Map(clicks);
  await page.evaluate(() => {
    document.getElementById('gone').remove();
    document.getElementById('hidden').style.display = 'none';
    document.getElementById('renamed').textContent = 'Delete all';
  });
  const step = (type, name, value) =>
    page.evaluate((step) => pmPage.perform(step), { type, id: ids.get(name), value, name });
  for (const [type, name, value, refusal] of [
    ['click', 'gone', undefined, 'missing'],
    ['click', 'off', undefined, 'disabled'],
    ['click', 'hidden', undefined, 'hidden'],
    ['click', 'before', undefined, 'renamed'],
    ['click', 'covered', undefined, 'covered'],
    ['input', 'fixed', 'other', 'readonly'],
    ['input', 'plain', 'text', 'not_for_this'],
    ['select', 'Pick', 'three', 'no_option'],
    ['select', 'Pick', 'two', 'no_option'],
    ['select', 'plain', 'one', 'not_for_this'],
    ['key', 'plain', '', 'not_for_this'],
    ['dance', 'plain', undefined, 'not_for_this'],
  ]) {
    assert.deepEqual(await step(type, name, value), refused(refusal), `${type} ${name}`);
  }
  assert.deepEqual(
    await page.evaluate(() => pmPage.perform({ type: 'click', id: 999 })),
    refused('missing'),
  );
  assert.equal(await page.evaluate(() => globalThis.clicks), 0);
  assert.equal(await page.inputValue('[readonly]'), 'as it is');
});

await test('where to point: a real pointer meets it, also further down, in frames and in shadows', async (page) => {
  await show(
    page,
    `<div style="height:2000px"></div><button>far</button><x-host id="host"></x-host>
     <iframe style="width:300px;height:120px;border:7px solid;margin:20px" srcdoc="<div style='height:300px'></div><button onclick='parent.clicked(&quot;framed&quot;)'>framed</button>"></iframe>`,
  );
  for (const frame of page.frames()) await frame.waitForLoadState();
  await page.evaluate(() => {
    globalThis.all = [];
    globalThis.clicked = (name) => globalThis.all.push(name);
    const root = document.getElementById('host').attachShadow({ mode: 'open' });
    root.innerHTML = '<button>shadowed</button>';
    root.querySelector('button').onclick = (event) =>
      globalThis.clicked(event.isTrusted ? 'shadowed' : 'false');
    document.querySelector('button').onclick = () => globalThis.clicked('far');
  });
  for (const name of ['far', 'shadowed', 'framed']) {
    const id = await idOf(page, name);
    const point = await page.evaluate(([id, name]) => pmPage.prepare(id, name), [id, name]);
    assert.equal(typeof point, 'object', `${name}: ${point}`);
    await page.mouse.click(point.x, point.y);
  }
  assert.deepEqual(await page.evaluate(() => globalThis.all), ['far', 'shadowed', 'framed']);
});

await test('where to point: areas, thin lines, fields under a picture, frames that are scaled', async (page) => {
  const picture = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";
  await show(
    page,
    `<img usemap="#m" width="200" height="100" src="${picture}"><map name="m"><area alt="area" shape="poly" coords="0,0,200,0,0,100" href="#area"></map>
     <svg width="200" height="40"><line aria-label="line" x1="0" y1="20" x2="200" y2="20" stroke="red" stroke-width="4"/></svg>
     <div style="position:relative;width:60px;height:60px"><input type="checkbox" aria-label="glass" style="position:absolute;inset:0;opacity:0;width:60px;height:60px"><b>☐</b></div>
     <iframe style="width:400px;height:200px;border:7px solid;padding:9px;transform:scale(.5);transform-origin:0 0" srcdoc="<div style='height:120px'></div><button style='margin-left:300px;width:20px;height:20px;padding:0' aria-label=scaled onclick='parent.said(&quot;scaled&quot;)'></button>"></iframe>`,
  );
  for (const frame of page.frames()) await frame.waitForLoadState();
  await page.evaluate(() => {
    globalThis.all = [];
    globalThis.said = (name) => globalThis.all.push(name);
    for (const element of document.querySelectorAll('area,line,input')) {
      const name = element.getAttribute('alt') ?? element.getAttribute('aria-label');
      element.addEventListener('click', () => globalThis.said(name));
    }
  });
  const names = ['area', 'line', 'glass', 'scaled'];
  for (const name of names) {
    const id = await idOf(page, name);
    const point = await page.evaluate(([id, name]) => pmPage.prepare(id, name), [id, name]);
    assert.equal(typeof point, 'object', `${name}: ${point}`);
    await page.mouse.click(point.x, point.y);
    assert.deepEqual(await perform(page, 'click', name), DONE);
  }
  const twice = names.flatMap((name) => [name, name]);
  assert.deepEqual(await page.evaluate(() => globalThis.all), twice);
});

await test('texts are told, passwords are not', async (page) => {
  await show(
    page,
    '<h1>Title</h1><p>words <span style="display:none">hidden</span></p><input aria-label="Word" type="password" value="geheim"><button aria-label="B">say it</button>',
  );
  const whole = await perform(page, 'extract');
  assert.deepEqual(whole, { ...DONE, text: 'Title\n\nwords\n\nsay it' });
  assert.deepEqual(await perform(page, 'extract', 'Word'), { ...DONE, text: '' });
  assert.deepEqual(await perform(page, 'extract', 'B'), { ...DONE, text: 'say it' });
});

await test('what is switched off is read and scrolled; a list is scrolled where the page is not', async (page) => {
  await show(
    page,
    `<textarea aria-label="Terms" disabled style="height:50px">${'words '.repeat(400)}end</textarea>
     <div id="list" style="position:fixed;inset:100px 0 0;overflow:auto"><div style="height:9000px"></div></div>`,
  );
  const { text: terms } = await perform(page, 'extract', 'Terms');
  assert.ok(terms.endsWith('end'));
  const top = () => page.evaluate(() => document.querySelector('textarea').scrollTop);
  assert.deepEqual(await perform(page, 'scroll', 'Terms', 'down'), DONE);
  assert.ok((await top()) > 0);
  assert.deepEqual(await perform(page, 'scroll', 'Terms', 'up'), DONE);
  assert.equal(await top(), 0);
  assert.deepEqual(await perform(page, 'scroll'), DONE);
  assert.equal(await page.evaluate(() => document.getElementById('list').scrollTop), 595);
});

await test('what a step is about is seen for a moment, and the page hears nothing of it', async (page) => {
  await show(
    page,
    '<button aria-label="B">say it</button><div id="h"></div><iframe srcdoc="<button aria-label=F>in a frame</button>"></iframe>',
  );
  await page.evaluate(() => {
    const root = document.getElementById('h').attachShadow({ mode: 'open' });
    root.innerHTML = '<button aria-label="S">in a shadow</button>';
    pmPage.scan(100);
    const heard = (globalThis.heard = []);
    const all = { subtree: true, childList: true, attributes: true, characterData: true };
    new MutationObserver((records) => heard.push(...records)).observe(document, all);
  });
  const outlined = () =>
    page.evaluate(() => {
      const frame = document.querySelector('iframe').contentDocument;
      const roots = [document, document.getElementById('h').shadowRoot, frame];
      return roots.flatMap((root) =>
        [...root.querySelectorAll('button')]
          .filter((one) => one.ownerDocument.defaultView.getComputedStyle(one).outlineStyle === 'solid')
          .map((one) => one.ariaLabel),
      );
    });
  for (const name of ['B', 'S', 'F']) {
    assert.deepEqual(await perform(page, 'hover', name), DONE);
    assert.deepEqual(await outlined(), [name]);
  }
  await page.waitForFunction(() => {
    const frame = document.querySelector('iframe').contentDocument;
    return frame.adoptedStyleSheets.length === 0;
  });
  assert.deepEqual(await outlined(), []);
  assert.equal(await page.evaluate(() => heard.length), 0);
});

await test('a screen down and up, and when it is quiet', async (page) => {
  await show(page, '<div style="height:5000px"></div><p id="p"></p>');
  assert.deepEqual(await perform(page, 'scroll'), DONE);
  assert.equal(await page.evaluate(() => scrollY), 680);
  assert.deepEqual(await perform(page, 'scroll', undefined, 'up'), DONE);
  assert.equal(await page.evaluate(() => scrollY), 0);
  const [isQuiet, isLoud] = await page.evaluate(async () => {
    const still = await pmPage.quiet(50, 5000);
    const p = document.getElementById('p');
    const loud = setInterval(() => p.append('.'), 5);
    const never = await pmPage.quiet(200, 400);
    clearInterval(loud);
    return [still, never];
  });
  assert.deepEqual([isQuiet, isLoud], [true, false]);
});

await end('act');
