// Pages of widgets, as pages.mjs has them: forms, tables, trees, menus, dialogs, editors. `n` is on what listens without
// being what anyone would use (oracle.mjs).

const many = (count, make) => Array.from({ length: count }, (_, nth) => make(nth)).join('');

export const WIDGET_PAGES = [
  {
    name: 'a date picker',
    html: `<style>td{width:30px;height:24px}.day{cursor:pointer}.out{color:#bbb;pointer-events:none}</style>
      <label>Day <input u id="day" aria-haspopup="dialog"></label><button u aria-label="Calendar">▾</button>
      <div role="dialog" aria-label="Choose a day"><button u aria-label="Before">‹</button><span>May 2031</span><button u aria-label="After">›</button>
      <table><tr><th>Mo</th><th>Tu</th><th>We</th></tr>${many(
        4,
        (week) =>
          `<tr>${many(3, (day) => (week === 0 && day === 0 ? '<td class="out day">30</td>' : `<td u class="day">${week * 7 + day}</td>`))}</tr>`,
      )}</table></div>`,
    script: () => {
      for (const day of document.querySelectorAll('.day:not(.out)')) day.onclick = () => {};
    },
  },
  {
    name: 'a form in steps',
    html: `<ol><li aria-current="step">You</li><li>Address</li><li>Payment</li></ol><form>
      <section><label>Name <input u required></label><label>Phone <input u type="tel"></label></section>
      <section hidden><label>Street <input></label></section><section style="display:none"><label>Card <input></label></section>
      <button type="button" u disabled>Back</button><button type="button" u>Next</button></form>`,
  },
  {
    name: 'validation as one types',
    html: `<form novalidate><label for="m">Mail</label><input u id="m" type="email" aria-invalid="true" aria-describedby="e" value="no">
      <p id="e" role="alert">Not an address. <a u href="#why">Why?</a></p><div role="status" aria-live="polite" tabindex="-1">1 problem</div>
      <label for="p">Password</label><span><input u id="p" type="password"><button u type="button" aria-label="Show">👁</button></span>
      <meter value="2" max="4"></meter><output>weak</output><button u aria-disabled="true">Send</button></form>`,
  },
  {
    name: 'stars and switches',
    html: `<style>.v{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip:rect(0 0 0 0);white-space:nowrap}</style>
      <fieldset><legend>Stars</legend>${many(5, (nth) => `<input class="v" type="radio" name="s" id="s${nth}"><label u for="s${nth}">★<span class="v">${nth + 1}</span></label>`)}</fieldset>
      <label u style="display:inline-block"><input class="v" type="checkbox"><i style="display:inline-block;width:30px;height:16px;background:grey"></i></label>
      <button u role="switch" aria-checked="false">Off</button><a class="v" href="#main">Skip to the content</a><h2 class="v">Heading</h2>`,
  },
  {
    name: 'labels that only look as if',
    html: `<style>label{cursor:pointer}</style><label><input u type="checkbox"> Agree</label><input u type="radio" id="r"><label for="r">Radio <b>one</b></label>
      <label>Name <input u></label><label for="s">Size</label><select u id="s"><option>S</option></select><label u style="padding:4px" onclick="1">listens itself <input u type="checkbox"></label>`,
  },
  {
    name: 'a field of files over its picture',
    html: `<div style="position:relative;width:200px;height:80px;border:1px dashed">Drop files here
      <input u type="file" aria-label="Files" style="position:absolute;inset:0;opacity:0;width:100%;height:100%"></div>
      <span style="position:relative;display:inline-block;width:20px;height:20px"><input u type="checkbox" aria-label="Row" style="position:absolute;inset:0;margin:0;opacity:0;width:20px;height:20px"><svg width="20" height="20" style="pointer-events:none"><rect width="20" height="20"/></svg></span>
      <div style="opacity:0"><input type="file" aria-label="In what is not seen"></div><input aria-label="No text is typed into what is not seen" style="opacity:0">`,
  },
  {
    name: 'a table that sorts',
    html: `<table><thead><tr><th u aria-sort="ascending" tabindex="0" style="cursor:pointer">Name <span>▲</span></th><th u><button u>Size</button></th><th>Notes</th></tr></thead>
      <tbody>${many(6, (nth) => `<tr><td><input u type="checkbox" aria-label="${nth}"></td><td>${nth} kB</td><td><a u href="#${nth}">open</a><button u aria-label="More">⋯</button></td></tr>`)}</tbody></table>`,
    script: () => {
      for (const head of document.querySelectorAll('th[u]'))
        head.addEventListener('click', () => {});
    },
  },
  {
    name: 'a grid with a roving focus',
    html: `<div role="grid" aria-rowcount="3" n><div role="row"><span u role="columnheader" aria-sort="none" tabindex="-1" style="cursor:pointer">Name</span><span role="columnheader">Kind</span></div>
      ${many(3, (row) => `<div role="row" aria-selected="${row === 0}">${many(2, (nth) => `<span u role="gridcell" tabindex="${row + nth === 0 ? 0 : -1}">${row}.${nth} ${nth ? '<button u tabindex="-1">edit</button>' : ''}</span>`)}</div>`)}</div>`,
    // One listener for the whole of it.
    script: () => document.querySelector('[role=grid]').addEventListener('mousedown', () => {}),
  },
  {
    name: 'a tree',
    html: `<style>li{cursor:default}</style><ul role="tree" tabindex="-1"><li u role="treeitem" aria-expanded="true" tabindex="0"><span>src</span><ul role="group">
      <li u role="treeitem" aria-expanded="false" tabindex="-1"><span>page</span><ul role="group" hidden><li role="treeitem">index.ts</li></ul></li>
      <li u role="treeitem" aria-expanded="true" tabindex="-1"><span>ui</span><ul role="group"><li u role="treeitem" tabindex="-1">App.vue</li><li u role="treeitem" aria-disabled="true">main.ts</li></ul></li></ul></li>
      <li u role="treeitem" tabindex="-1">README</li></ul>`,
  },
  {
    name: 'a tree of nothing but listeners',
    html: `<div class="node"><span u class="arrow">▾</span><span u class="label">root</span><div class="node"><span u class="arrow">▸</span><span u class="label">leaf</span><span class="count">3</span></div></div>`,
    script: () => {
      for (const part of document.querySelectorAll('.arrow')) part.onmousedown = () => {};
      for (const part of document.querySelectorAll('.label')) part.ondblclick = () => {};
    },
  },
  {
    name: 'menus that open when pointed at',
    html: `<style>nav li ul{display:none;position:absolute}nav li:hover>ul,nav li.on>ul{display:block}</style>
      <nav><ul><li><a u href="#1">Products</a><ul><li><a href="#1a">hidden</a></li></ul></li>
      <li class="on"><a u href="#2">Prices</a><ul><li><a u href="#2a">Team</a></li><li><a u href="#2b">Firm</a></li></ul></li></ul></nav>`,
  },
  {
    name: 'a menu of a right click',
    // Who listens to nothing but the right button has no step for it, and is not listed; the menu is, once it is there.
    html: `<div id="area" style="width:300px;height:100px;background:#eee">right-click here</div>
      <div id="menu" role="menu" hidden style="position:absolute;left:40px;top:40px;background:white"><div u role="menuitem">Copy</div><div role="separator"></div><div u role="menuitem" aria-disabled="true">Paste</div></div>`,
    script: () => {
      const area = document.getElementById('area');
      area.addEventListener('contextmenu', (event) => {
        event.preventDefault();
        document.getElementById('menu').hidden = false;
      });
      area.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }));
    },
  },
  {
    name: 'a menu bar',
    html: `<div role="menubar" aria-label="Main"><span u role="menuitem" aria-haspopup="true" aria-expanded="true" tabindex="0">File</span><span u role="menuitem" tabindex="-1">Edit</span></div>
      <ul role="menu">${many(2, (nth) => `<li role="none"><a u role="menuitem" href="#${nth}">Item ${nth}</a></li>`)}<li u role="menuitemradio" aria-checked="true">Large</li><li role="separator"></li></ul>`,
  },
  {
    name: 'wrappers of no role',
    html: `<ul role="none"><li role="presentation"><a u role="tab" href="#a">A</a></li></ul><table role="presentation"><tr><td><button u>in a layout</button></td></tr></table><div role="none"><span>words</span></div>`,
  },
  {
    name: 'a dialog beside the page',
    html: `<button u>Page</button><dialog open style="position:absolute;top:80px"><form method="dialog"><input u aria-label="Word"><button u>Close</button></form></dialog><dialog><button>not open</button></dialog>`,
  },
  {
    name: 'popovers',
    html: `<button u popovertarget="a">Open</button><div id="a" popover><button u>in it</button></div><div popover id="b"><a href="#no">closed</a></div><button u popovertarget="b">Other</button>`,
    script: () => document.getElementById('a').showPopover(),
  },
  {
    name: 'a modal of a framework, the page made inert',
    html: `<main inert><button>behind</button><a href="#x">behind</a></main><div style="position:fixed;inset:0;background:#0008"></div>
      <div role="dialog" aria-modal="true" aria-label="Sure?" tabindex="-1" style="position:fixed;left:300px;top:100px;background:white;padding:20px"><div tabindex="0" style="position:absolute;width:0;height:0"></div><p>Sure?</p><button u>Yes</button><button u>No</button></div>`,
  },
  {
    name: 'a modal of a framework, the page left as it is',
    html: `<main><button u="off">behind</button><a u="off" href="#x">behind</a></main><div u id="shade" style="position:fixed;inset:0;background:#0008"></div>
      <div role="dialog" aria-modal="true" tabindex="-1" style="position:fixed;left:20px;top:20px;width:300px;height:200px;background:white"><button u>Yes</button></div>`,
    script: () => document.getElementById('shade').addEventListener('click', () => {}),
  },
  {
    name: 'a cookie banner',
    html: `<a u href="#a">Article</a><p>${'words '.repeat(900)}</p><a u="off" href="#under" style="position:fixed;bottom:20px;left:20px">under it</a>
      <div style="position:fixed;left:0;right:0;bottom:0;height:120px;background:white;z-index:9"><p>We use cookies. <a u href="#policy">Policy</a></p><button u>Reject</button><button u>Accept</button></div>`,
  },
  {
    name: 'folded parts',
    html: `<h3><button u aria-expanded="true">Open</button></h3><div style="overflow:hidden;max-height:500px"><a u href="#in">in it</a></div>
      <h3><button u aria-expanded="false">Closed</button></h3><div style="overflow:hidden;height:0"><a href="#no">folded</a><button>folded</button></div>
      <div style="overflow:clip;max-width:0;height:20px"><button>folded</button></div><details name="x"><summary u>One</summary><a href="#no">no</a></details><details name="x" open><summary u>Two</summary><a u href="#yes">yes</a></details>`,
  },
  {
    name: 'editors',
    html: `<div role="toolbar" aria-label="Format"><button u aria-pressed="true">B</button><button u>I</button></div>
      <div u contenteditable="true" role="textbox" aria-multiline="true"><p>A <a u href="#l">link</a> within</p><span contenteditable="false">a badge <button u>×</button></span></div>
      <div class="editor"><textarea style="position:absolute;opacity:0;width:1px;height:1em"></textarea><pre u tabindex="0">code</pre></div><div contenteditable="inherit">no</div>`,
  },
  {
    name: 'an editor that is a frame',
    html: `<iframe style="width:300px;height:100px" srcdoc="<body u contenteditable style='margin:0;height:90px'><p>words</p></body>"></iframe>
      <iframe id="design" style="width:300px;height:100px" srcdoc="<body u style='margin:0;height:90px'><p>words</p></body>"></iframe>`,
    waits: true,
    script: () => {
      const frame = document.getElementById('design');
      const design = () => (frame.contentDocument.designMode = 'on');
      frame.addEventListener('load', design);
      if (frame.contentDocument.readyState === 'complete') design();
    },
  },
  {
    name: 'a list with one listener',
    html: `<ul n id="all" style="width:300px">${many(5, (nth) => `<li u style="cursor:pointer" data-id="${nth}">row <b>${nth}</b></li>`)}<li>a heading</li></ul>`,
    script: () =>
      document
        .getElementById('all')
        .addEventListener('click', (event) => event.target.closest('li')),
  },
  {
    name: 'cards that listen, with more in them',
    html: many(
      3,
      (nth) =>
        `<div u class="card" style="cursor:pointer;width:200px"><h4>Card ${nth}</h4><p>words <i style="cursor:pointer">and</i></p><button u>Buy</button><span u class="heart">♡</span></div>`,
    ),
    script: () => {
      for (const one of document.querySelectorAll('.card,.heart'))
        one.addEventListener('click', () => {});
    },
  },
  {
    name: 'a page whose frame listens for all',
    html: `<div n id="shell" style="min-height:760px"><button u>one</button><div u id="two">two</div><p>words</p></div>`,
    script: () => {
      document.getElementById('shell').addEventListener('click', () => {});
      document.getElementById('two').addEventListener('click', () => {});
    },
  },
  {
    name: 'what can be focused only to be read',
    html: `<div role="tablist"><button u role="tab" aria-selected="true">A</button></div><div role="tabpanel" tabindex="0">panel</div><section role="region" tabindex="0" aria-label="Code" style="overflow:auto;width:100px"><pre>let a = 1;</pre></section>
      <main tabindex="0" role="main">main</main><svg width="80" height="20"><g role="img" tabindex="0" aria-label="May: 3"><rect width="20" height="20"/></g></svg><div u tabindex="0" role="listbox" aria-label="Names"><div u role="option">one</div></div>`,
  },
  {
    name: 'listeners that are gone',
    html: many(5, (nth) => `<div id="x${nth}">${nth}</div>`).replace('id="x3"', 'id="x3" u'),
    script: () => {
      const by = (nth) => document.getElementById(`x${nth}`);
      const nothing = () => {};
      by(0).addEventListener('click', nothing, { once: true });
      by(0).click();
      const stop = new AbortController();
      by(1).addEventListener('click', nothing, { signal: stop.signal });
      stop.abort();
      by(2).addEventListener('click', nothing, { signal: AbortSignal.abort() });
      // Two, of which one is removed.
      by(3).addEventListener('click', nothing, true);
      by(3).addEventListener('click', nothing);
      by(3).removeEventListener('click', nothing);
      by(4).onclick = nothing;
      by(4).onclick = null;
    },
  },
];
