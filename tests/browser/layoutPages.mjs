// Pages whose difficulty is where things are, as pages.mjs has them: shadows, frames, drawings, what scrolls, what covers
// what, and pages of many nodes.

const many = (count, make) => Array.from({ length: count }, (_, nth) => make(nth)).join('');
const PIXEL = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";

export const LAYOUT_PAGES = [
  {
    name: 'shadows with slots',
    html: `<x-button><span>Slotted <b>words</b></span></x-button><x-card><h3 slot="head">Title</h3><a u href="#in">link</a><p>words</p><i slot="none"><button>in no slot</button></i></x-card>`,
    script: () => {
      const shadow = (name, html) => {
        const root = document.querySelector(name).attachShadow({ mode: 'open' });
        root.innerHTML = html;
        return root;
      };
      shadow('x-button', `<button u style="cursor:pointer"><slot></slot></button>`);
      const card = shadow(
        'x-card',
        `<section u id="s" style="cursor:pointer;padding:8px"><slot name="head"></slot></section><slot></slot><slot name="empty"><button u>instead</button></slot>`,
      );
      card.getElementById('s').addEventListener('click', () => {});
    },
  },
  {
    name: 'shadows in shadows, that listen',
    html: `<x-outer></x-outer><x-self u style="display:block">listens itself</x-self>`,
    script: () => {
      customElements.define(
        'x-leaf',
        class extends HTMLElement {
          constructor() {
            super();
            this.attachShadow({ mode: 'open' }).innerHTML =
              `<style>:host{display:inline-block}</style><button u>leaf <slot></slot></button>`;
          }
        },
      );
      customElements.define(
        'x-outer',
        class extends HTMLElement {
          constructor() {
            super();
            this.attachShadow({ mode: 'open' }).innerHTML =
              `<x-leaf>one</x-leaf><x-leaf><em>two</em></x-leaf><div><slot><input u aria-label="fallback"></slot></div>`;
          }
        },
      );
      customElements.define(
        'x-self',
        class extends HTMLElement {
          connectedCallback() {
            this.addEventListener('click', () => {});
          }
        },
      );
    },
  },
  {
    name: 'more shadows than frames are looked into',
    html: `${many(40, () => '<x-many></x-many>')}<iframe style="width:200px;height:60px" srcdoc="<button u>in the frame</button>"></iframe>`,
    waits: true,
    script: () => {
      for (const host of document.querySelectorAll('x-many'))
        host.attachShadow({ mode: 'open' }).innerHTML = '<button u>x</button>';
    },
  },
  {
    name: 'a closed shadow',
    // A known limit: nobody outside can look into it, so what is in it has no mark here and is not listed.
    html: `<x-closed></x-closed><button u>outside</button>`,
    script: () => {
      const root = document.querySelector('x-closed').attachShadow({ mode: 'closed' });
      root.innerHTML = '<button>cannot be seen</button>';
    },
  },
  {
    name: 'a frame from elsewhere',
    // A known limit: a frame of another origin (here of none) cannot be looked into.
    html: `<iframe style="width:200px;height:60px" src="data:text/html,<button>cannot be seen</button>"></iframe><iframe sandbox style="width:200px;height:60px" srcdoc="<button>nor this</button>"></iframe><button u>outside</button>`,
    waits: true,
  },
  {
    name: 'frames that are cut off and covered',
    html: `<iframe style="position:absolute;left:0;top:0;width:200px;height:2000px" srcdoc="<button u>top</button><div style='height:1200px'></div><button u='off'>far below</button>"></iframe>
      <iframe style="position:absolute;left:300px;top:0;width:200px;height:100px" srcdoc="<button u='off'>covered</button>"></iframe><div style="position:absolute;left:290px;top:0;width:300px;height:120px;background:white"></div>
      <iframe style="position:absolute;left:300px;top:200px;width:400px;height:200px;border:9px solid;padding:5px" srcdoc="<iframe style='width:150px;height:50px' srcdoc='<button u>deep</button>'></iframe><a u href='#a'>link</a>"></iframe>
      <iframe style="position:absolute;left:300px;top:500px;width:200px;height:100px;visibility:hidden" srcdoc="<button>no</button>"></iframe>`,
    waits: true,
  },
  {
    name: 'a chart',
    html: `<svg width="400" height="200" viewBox="0 0 400 200"><g class="grid"><path d="M0 50H400M0 100H400" stroke="#ddd"/></g>
      <g n class="bars">${many(4, (nth) => `<rect u class="bar" x="${nth * 40}" y="${150 - nth * 20}" width="30" height="${50 + nth * 20}"/>`)}</g>
      <path u class="bar" d="M200 20H390" stroke="red" stroke-width="6" fill="none"/><line u class="bar" x1="300" y1="40" x2="300" y2="150" stroke="blue" stroke-width="4"/><text x="200" y="190">Axis</text>
      <g u role="button" aria-label="Legend" style="cursor:pointer"><circle cx="230" cy="100" r="8"/><text x="240" y="104">Sales</text></g><path class="bar" d="M0 0H50" style="pointer-events:none"/></svg>`,
    script: () => {
      for (const bar of document.querySelectorAll('.bar')) {
        if (bar.hasAttribute('u')) bar.addEventListener('click', () => {});
      }
    },
  },
  {
    name: 'a drawing of buttons',
    // What is drawn on a canvas has no elements: the canvas itself is listed if it listens.
    html: `<canvas u id="game" width="300" height="100"></canvas><canvas id="chart" width="300" height="100"></canvas><canvas u tabindex="0" width="50" height="50"></canvas>`,
    script: () =>
      document.getElementById('game').addEventListener('pointerdown', (event) => event.offsetX),
  },
  {
    name: 'a map of areas',
    html: `<img usemap="#m" width="200" height="100" src="${PIXEL}" alt="Plan"><map name="m"><area u shape="rect" coords="0,0,90,90" href="#left" alt="Left">
      <area u shape="circle" coords="150,50,30" href="#round" alt="Round"><area u shape="poly" coords="95,0,115,0,105,95" href="#poly" alt="Poly"><area shape="rect" coords="180,80,200,100" alt="No link"></map>
      <map name="unused"><area href="#no" coords="0,0,9,9" alt="of no picture"></map>`,
  },
  {
    name: 'turned, scaled, zoomed',
    html: `<button u style="transform:rotate(45deg);margin:40px">turned</button><div style="transform:scale(.5);transform-origin:0 0;height:40px"><button u>half</button></div>
      <div style="zoom:1.5"><a u href="#z">zoomed</a></div><button style="transform:scale(0)">no</button><div style="transform:translateX(-3000px)"><button>moved away</button></div><div u style="transform:rotateY(20deg);cursor:pointer;width:90px">card</div>`,
  },
  {
    name: 'left to itself until it is scrolled to',
    html: `<style>section{content-visibility:auto;contain-intrinsic-size:auto 900px;min-height:900px}</style><section><button u>first</button></section><section><button u="off">second</button></section><section><a u="off" href="#3">third</a></section>
      <div style="content-visibility:hidden"><button>never</button></div>`,
  },
  {
    name: 'what no pointer meets',
    html: `<button style="pointer-events:none">off</button><a href="#no" style="pointer-events:none">off</a><div style="pointer-events:none"><span>words</span><button u style="pointer-events:auto">on</button></div>
      <div style="position:relative;width:120px;height:40px"><button u style="width:120px;height:40px">under glass</button><div style="position:absolute;inset:0;pointer-events:none;background:#0001"></div></div>`,
  },
  {
    name: 'seen within what is not',
    html: `<div style="visibility:hidden"><p>no</p><a href="#no">no</a><div style="visibility:visible"><a u href="#yes">yes</a><span style="visibility:collapse"><button>no</button></span></div></div><div style="opacity:.4"><button u>faint</button></div><div style="opacity:0"><div style="opacity:1"><button>no</button></div></div>`,
  },
  {
    name: 'out of reach',
    html: `<a href="#main" style="position:absolute;left:-9999px">Skip</a><nav style="position:fixed;top:0;left:-300px;width:280px;height:400px"><a href="#no">in a closed drawer</a></nav><button style="position:absolute;top:-500px">above</button>
      <div id="s" style="width:200px;overflow:auto;white-space:nowrap"><button u="off">scrolled past</button><div style="display:inline-block;width:900px"></div><button u>here</button></div><button u>yes</button>`,
    script: () => (document.getElementById('s').scrollLeft = 5000),
  },
  {
    name: 'right to left, wider than the window',
    html: `<div style="width:2400px;height:40px;position:relative"><button u style="position:absolute;right:10px">أول</button><button u="off" style="position:absolute;left:10px">آخر</button></div><p>نص <a u href="#a">رابط</a></p>`,
    script: () => (document.documentElement.dir = 'rtl'),
  },
  {
    name: 'vertical text',
    html: `<div style="writing-mode:vertical-rl;height:200px"><a u href="#1">縦書きの文</a><button u>押す</button><p>文章 <span u tabindex="0">印</span></p></div><div style="writing-mode:sideways-lr"><a u href="#2">side</a></div>`,
  },
  {
    name: 'links that run over the end of a line',
    html: `<p style="width:200px;font:16px/24px monospace">words words words <a u href="#long">a link that goes on and on over lines</a> words.</p>
      <p style="width:170px;font:16px/24px monospace">words and words <a u href="#two">ab cd</a> w</p><a u href="#float"><img alt="Floats" style="float:left" width="60" height="40" src="${PIXEL}"></a>`,
  },
  {
    name: 'sticky rows over others',
    html: `<div style="height:120px;width:300px;overflow:auto;position:relative" id="s"><div style="position:sticky;top:0;height:40px;background:white;z-index:1"><button u>Head</button></div>${many(10, (nth) => `<div style="height:40px"><button u="${nth >= 2 && nth <= 3 ? '' : 'off'}" style="height:38px">row ${nth}</button></div>`)}</div>`,
    script: () => (document.getElementById('s').scrollTop = 80),
  },
  {
    name: 'a list without end',
    html: `<ul id="list"></ul><div id="end" style="height:10px"></div>`,
    // One more part whenever its end is seen, three at most; the test goes on when they are there.
    script: () =>
      new Promise((done) => {
        const list = document.getElementById('list');
        const more = () => {
          for (let nth = 0; nth < 4; nth += 1) {
            const at = list.children.length;
            list.insertAdjacentHTML(
              'beforeend',
              `<li style="height:50px"><a u="${at * 50 > 750 ? 'off' : ''}" href="#${at}">${at}</a></li>`,
            );
          }
        };
        new IntersectionObserver(
          ([entry], observer) => {
            if (entry.isIntersecting) more();
            observer.unobserve(entry.target);
            if (list.children.length < 24) observer.observe(entry.target);
            else done();
          },
          { rootMargin: '2000px' },
        ).observe(document.getElementById('end'));
      }),
  },
  {
    name: 'a list of which only a part exists',
    html: `<div id="list" style="height:200px;width:300px;overflow:auto"><div id="room" style="height:40000px;position:relative"></div></div>`,
    script: () =>
      new Promise((done) => {
        const list = document.getElementById('list');
        const draw = () => {
          const first = Math.floor(list.scrollTop / 40);
          let html = '';
          for (let nth = first - 2; nth < first + 7; nth += 1) {
            const isSeen = nth >= first && nth < first + 5;
            html += `<div role="option" u="${isSeen ? '' : 'off'}" style="position:absolute;top:${nth * 40}px;height:40px;width:200px">row ${nth}</div>`;
          }
          document.getElementById('room').innerHTML = html;
          done();
        };
        list.addEventListener('scroll', draw);
        list.scrollTop = 10_000;
      }),
  },
  {
    name: 'a table of 1,000 rows',
    html: `<style>td{height:20px;padding:0;line-height:18px}table{border-spacing:0}</style><table>${many(1000, (nth) => `<tr><td>${nth}</td><td>name ${nth}</td><td><a u="${nth < 40 ? '' : 'off'}" href="#${nth}">open</a></td></tr>`)}</table>`,
  },
  {
    name: '10,000 nodes, few of which can be used',
    html: many(
      100,
      (nth) =>
        `<div class="box" style="height:20px;overflow:hidden">${many(98, (word) => `<span>w${word} </span>`)}${nth % 25 === 0 ? `<button u="${nth * 20 < 760 ? '' : 'off'}" style="position:absolute;left:1000px;height:18px;font-size:9px">b</button>` : ''}</div>`,
    ),
  },
];
