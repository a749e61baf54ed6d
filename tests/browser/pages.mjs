// Pages for the assistant to look at. What can be used has the attribute `u`: `u` alone is in the viewport with nothing
// over it, `u="off"` is not to be seen. Everything else is not to be used.

const many = (count, make) => Array.from({ length: count }, (_, nth) => make(nth)).join('');

export const PAGES = [
  {
    name: 'a form',
    html: `<form><label>Name <input u name="name"></label><label for="mail">Mail</label><input u id="mail" type="email">
      <input type="hidden" value="x"><input u type="password" value="secret"><textarea u>text</textarea>
      <select u><option>one<option selected>two</select><input u type="checkbox" checked aria-label="Agree">
      <input u type="radio" name="r"><input u type="range"><input u type="date"><input u type="file">
      <button u>Send</button><input u type="submit" value="Go"><input u type="reset"><input u disabled value="no">
      <p>words</p><fieldset disabled><button u>off</button></fieldset></form>`,
  },
  {
    name: 'links',
    html: `<nav><a u href="#a">A</a><a u href="/b">B</a><a name="anchor">no link</a><a>none</a></nav>
      <p>Text with <a u href="#c">a <b>bold</b> link</a> in it.</p>
      <a u href="#d"><img alt="picture" width="50" height="50" src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></a>
      <a u href="#e"><div style="height:20px">a block within</div></a>`,
  },
  {
    name: 'roles',
    html: `<div u role="button" tabindex="0">Button</div><div u role="link">Link</div><div u role="checkbox" aria-checked="true">C</div>
      <div u role="switch">S</div><div role="tablist"><div u role="tab">One</div><div u role="tab">Two</div></div>
      <div role="menu"><div u role="menuitem">Cut</div><div u role="menuitemcheckbox">Bold</div></div>
      <ul role="listbox"><li u role="option">a</li><li u role="option">b</li></ul>
      <div role="tree"><div u role="treeitem">root</div></div><div u role="slider">5</div><div u role="textbox">type</div>
      <div role="heading">no</div><div role="img">no</div><div role="presentation">no</div><div role="group">no</div>`,
  },
  {
    name: 'editing',
    html: `<div u contenteditable>edit <b>me</b></div><div u contenteditable="plaintext-only">plain</div>
      <div contenteditable="false">no</div>`,
  },
  {
    name: 'focus',
    html: `<div u tabindex="0">in</div><div tabindex="-1">out</div><span u tabindex="3">in</span>`,
  },
  {
    name: 'listeners',
    html: `<div u id="a">a</div><div u id="b">b</div><div u id="c">c</div><div id="d">d</div><div id="e">e</div><div u id="f" onclick="1">f</div><p u id="g">g</p>`,
    script: () => {
      const by = (id) => document.getElementById(id);
      by('a').addEventListener('click', () => {});
      by('b').addEventListener('pointerdown', { handleEvent() {} });
      by('c').onclick = () => {};
      const gone = () => {};
      by('d').addEventListener('click', gone);
      by('d').removeEventListener('click', gone);
      by('e').addEventListener('scroll', () => {});
      by('g').addEventListener('touchstart', () => {}, { passive: true });
    },
  },
  {
    name: 'a page that listens for all',
    html: `<div><p>one</p><p>two</p><button u>three</button></div>`,
    script: () => {
      document.addEventListener('click', () => {});
      document.body.addEventListener('click', () => {});
      window.addEventListener('mousedown', () => {});
    },
  },
  {
    name: 'pointers',
    html: `<div u style="cursor:pointer">card <span>with words</span><b>in it</b></div><div style="cursor:default">no</div>
      <a u href="#x">link <span>inside</span></a><ul><li u style="cursor:pointer">one</li><li u style="cursor:pointer">two</li></ul>`,
  },
  {
    name: 'hidden things',
    html: `<button style="display:none">no</button><div style="display:none"><button>no</button></div>
      <button style="visibility:hidden">no</button><div style="visibility:hidden"><button u style="visibility:visible">yes</button></div>
      <button style="opacity:0">no</button><div style="opacity:0"><button>no</button></div><button hidden>no</button>
      <div inert><button>no</button></div><button style="position:absolute;width:0;height:0;padding:0;border:0;overflow:hidden"></button>
      <details><summary u>more</summary><button>closed</button></details><details open><summary u>open</summary><button u>in</button></details>`,
  },
  {
    name: 'further down',
    html: `<button u>here</button><div style="height:3000px"></div><button u="off">there</button><a u="off" href="#y">and there</a>`,
  },
  {
    name: 'a dialog over it',
    html: `<button u="off" style="position:absolute;left:100px;top:100px">under</button><button u style="position:absolute;left:700px;top:10px">beside</button>
      <div style="position:fixed;left:0;top:50px;width:600px;height:400px;background:white"><button u>in the dialog</button></div>`,
  },
  {
    name: 'a modal dialog',
    html: `<button u="off">behind</button><dialog id="d"><p>Sure?</p><button u>Yes</button><button u>No</button></dialog>`,
    script: () => document.getElementById('d').showModal(),
  },
  {
    name: 'shadows',
    html: `<x-card id="host"></x-card>`,
    script: () => {
      const host = document.getElementById('host');
      const root = host.attachShadow({ mode: 'open' });
      root.innerHTML = `<button u>in the shadow</button><slot></slot><div id="inner"></div>`;
      host.innerHTML = `<a u href="#s">slotted</a>`;
      const inner = root.getElementById('inner').attachShadow({ mode: 'open' });
      inner.innerHTML = `<input u aria-label="deep"><span id="s" u>listens</span><i>no</i>`;
      inner.getElementById('s').addEventListener('click', () => {});
    },
  },
  {
    name: 'frames',
    html: `<button u>outside</button><iframe style="width:400px;height:200px" srcdoc="<button u>inside</button><p>no</p><input u value='x'><iframe style='width:200px;height:80px' srcdoc='<a u href=&quot;#z&quot;>deeper</a>'></iframe>"></iframe>
      <iframe style="display:none" srcdoc="<button>no</button>"></iframe>`,
    waits: true,
  },
  {
    name: 'a frame that listens',
    html: `<iframe style="width:400px;height:200px" srcdoc="<div u id=a>a</div><div>b</div><script>document.getElementById('a').addEventListener('click', () => {})</script>"></iframe>`,
    waits: true,
  },
  {
    name: 'drawings',
    html: `<svg width="200" height="100"><a u href="#q"><rect width="50" height="50"/></a><circle u tabindex="0" cx="80" cy="30" r="20"/>
      <g u role="button"><title>Play</title><path d="M120 10h30v30h-30z"/></g><path id="p" u d="M160 10h30v30h-30z"/><line x1="0" y1="90" x2="200" y2="90" stroke="black"/></svg>
      <canvas u id="c" width="50" height="50"></canvas><canvas width="50" height="50"></canvas>`,
    script: () => {
      document.getElementById('p').addEventListener('click', () => {});
      document.getElementById('c').addEventListener('mousedown', () => {});
    },
  },
  {
    name: 'labels that stand for their fields',
    html: `<label u><input type="checkbox" style="display:none"> switch</label><label><input u type="checkbox"> plain</label>
      <input id="f" type="file" style="opacity:0;position:absolute;width:1px;height:1px"><label u for="f">Choose a file</label>
      <label>Text <input u></label>`,
  },
  {
    name: 'a table of rows',
    html: `<table>${many(10, (nth) => `<tr u onclick="1"><td>${nth}</td><td>name</td><td><button u>edit</button></td></tr>`)}</table>`,
  },
  {
    name: 'a list that listens for its items',
    html: `<ul n id="l">${many(3, (nth) => `<li u style="cursor:pointer"><b>item ${nth}</b></li>`)}</ul>
      <div u role="option"><span style="cursor:pointer">a part of it</span></div>`,
    script: () => document.getElementById('l').addEventListener('click', () => {}),
  },
  {
    name: 'jQuery listens for those within',
    html: `<div u id="l">${many(3, (nth) => `<p u class="row">row ${nth}</p>`)}<p>none</p></div><p class="row">elsewhere</p>`,
    script: () => {
      const list = document.getElementById('l');
      list.addEventListener('click', () => {});
      // As jQuery keeps it until version 4; not all that it selects by is known to a browser.
      const click = [{ selector: ':visible' }, { selector: '*' }, { selector: '.row' }, {}];
      globalThis.jQuery = { _data: (node) => (node === list ? { click } : undefined) };
    },
  },
  {
    name: 'a grid',
    html: `<div role="grid">${many(3, () => `<div role="row">${many(4, (nth) => `<div u role="gridcell" tabindex="${nth ? -1 : 0}">x</div>`)}</div>`)}</div>`,
  },
  {
    name: 'a menu that opens',
    html: `<button u aria-expanded="true" aria-haspopup="menu">Menu</button><ul role="menu">${many(5, (nth) => `<li u role="menuitem" tabindex="-1">${nth}</li>`)}</ul>`,
  },
  {
    name: 'tabs',
    html: `<div role="tablist">${many(4, (nth) => `<button u role="tab" aria-selected="${nth === 1}">${nth}</button>`)}</div><div role="tabpanel">panel</div>`,
  },
  {
    name: 'media',
    html: `<video u controls width="200" height="100"></video><audio u controls></audio><video width="50" height="50"></video>`,
  },
  {
    name: 'right to left',
    html: `<div dir="rtl" lang="ar"><button u>إرسال</button><a u href="#r">رابط</a><p>نص</p><input u placeholder="اسم"></div>`,
  },
  {
    name: 'Chinese',
    html: `<button u>提交订单</button><div u role="button">加入购物车</div><p>价格：<b>￥99</b></p><a u href="#">查看更多</a>`,
  },
  {
    name: 'scrolling within',
    html: `<div style="height:100px;overflow:auto"><button u>top</button><div style="height:500px"></div><button u="off">bottom</button></div>`,
  },
  {
    name: 'a sticky header',
    html: `<header style="position:sticky;top:0;height:60px;background:white;z-index:2"><a u href="#">Home</a><button u>Search</button></header>
      <main style="margin-top:-30px"><button u="off" style="height:20px">half under it</button><div style="height:100px"></div><button u>free</button></main>`,
  },
  {
    name: 'cards that are links',
    html: many(
      4,
      (nth) =>
        `<article style="position:relative;width:150px;display:inline-block"><h3><a u href="#${nth}" style="position:static">Card ${nth}<span style="position:absolute;inset:0"></span></a></h3><p>words</p></article>`,
    ),
  },
  {
    name: 'fields that are custom',
    html: `<div u role="combobox" aria-expanded="false" tabindex="0">Choose</div><div u role="spinbutton" tabindex="0">3</div><div u role="searchbox" contenteditable></div>`,
  },
  {
    name: 'what is of no use',
    html: `<div>a</div><span>b</span><ul><li>c</li></ul><table><tr><td>d</td></tr></table><h1>e</h1><label>f</label><output>g</output><progress></progress><meter></meter><hr><pre>h</pre>`,
  },
  {
    name: 'our own panel',
    html: `<div data-ava><button>ours</button><input></div><button u>the page's</button>`,
  },
  {
    name: 'a long list',
    html: many(
      60,
      (nth) =>
        `<div u="${nth * 40 > 760 ? 'off' : ''}" class="row" style="height:40px;cursor:pointer">row ${nth}</div>`,
    ),
  },
  {
    name: 'drag handles',
    html: `<div u id="h" draggable="true" style="width:40px;height:40px;background:grey"></div><div style="width:40px;height:40px"></div>`,
    script: () => document.getElementById('h').addEventListener('pointerdown', () => {}),
  },
];

/** Apps of frameworks, built from npm when they are looked at. */
export const APPS = [
  {
    name: 'Vue',
    source: `
      import { createApp, h, ref } from 'vue';
      createApp({
        setup() {
          const count = ref(0);
          return () => h('main', [
            h('div', { u: '', onClick: () => (count.value += 1) }, 'clicks ' + count.value),
            h('p', 'words'),
            h('input', { u: '', value: count.value, onInput: () => {} }),
            h('section', [h('span', { u: '', onPointerdown: () => {} }, 'held'), h('span', 'not')]),
          ]);
        },
      }).mount('#app');`,
  },
  {
    name: 'React',
    source: `
      import { createElement as h } from 'react';
      import { createRoot } from 'react-dom/client';
      const row = (nth) => h('li', { key: nth, u: '', onClick: () => {} }, 'row ' + nth);
      createRoot(document.getElementById('app')).render(h('main', null,
        h('div', { u: '', onClick: () => {} }, 'a div that listens'),
        h('div', null, 'a div that does not'),
        h('button', { u: '' }, 'a button'),
        h('ul', null, [0, 1, 2].map(row)),
        h('p', null, 'words ', h('em', { u: '', onMouseDown: () => {} }, 'marked')),
        h('input', { u: '', defaultValue: 'x', onChange: () => {} })));`,
  },
];
