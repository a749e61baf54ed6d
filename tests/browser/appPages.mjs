// Apps of frameworks for the assistant to look at, built from npm; as pages.mjs has its own two.

const REACT = `
  import { createElement as h, useState } from 'react';
  import { createRoot } from 'react-dom/client';
  import { createPortal } from 'react-dom';
  const show = (part) => createRoot(document.getElementById('app')).render(h(part));`;

const VUE = `
  import { createApp, h, ref, withModifiers, Teleport, vModelText, withDirectives } from 'vue';
  const show = (setup) => createApp({ setup }).mount('#app');`;

export const MORE_APPS = [
  {
    name: 'React: a portal into a room of its own',
    source: `${REACT}
      document.body.insertAdjacentHTML('beforeend', '<div id="room" style="min-height:40px" n></div>');
      show(() => h('main', null, h('button', { u: '' }, 'page'),
        createPortal(h('div', null, h('span', { u: '', onClick: () => {} }, 'close'), h('p', null, 'words')), document.getElementById('room'))));`,
  },
  {
    name: 'React: a to-do list',
    source: `${REACT}
      function App() {
        const [all, setAll] = useState(['milk', 'bread']);
        return h('section', null, h('form', { onSubmit: (event) => event.preventDefault() }, h('input', { u: '', 'aria-label': 'New' }), h('button', { u: '' }, 'Add')),
          h('ul', null, all.map((one) => h('li', { key: one }, h('input', { u: '', type: 'checkbox', 'aria-label': one }),
            h('span', { u: '', onDoubleClick: () => {} }, one), h('i', { u: '', onClick: () => setAll(all.filter((other) => other !== one)) }, '×')))),
          h('footer', null, h('b', null, all.length), ' left ', ['All', 'Open'].map((name) => h('a', { u: '', key: name, href: '#' + name }, name))));
      }
      show(App);`,
  },
  {
    name: 'React: listeners of capture, of no pointer, and none any more',
    source: `${REACT}
      function App() {
        return h('div', null, h('p', { u: '', onClickCapture: () => {} }, 'captures'), h('p', { onMouseEnter: () => {}, onKeyDown: () => {} }, 'no pointer'),
          h('p', { onClick: undefined }, 'none'), h('div', { u: '', onTouchStart: () => {} }, 'touched'), h('svg', { width: 40, height: 20 }, h('rect', { u: '', width: 40, height: 20, onClick: () => {} })));
      }
      show(App);`,
  },
  {
    name: 'Vue: listeners with modifiers',
    source: `${VUE}
      show(() => () => h('main', [h('div', { u: '', onClick: withModifiers(() => {}, ['stop', 'prevent']) }, 'stops'), h('div', { u: '', onClickCapture: () => {} }, 'captures'),
        h('div', { u: '', onClickOnce: () => {} }, 'once'), h('div', { u: '', onMousedownPassive: () => {} }, 'passive'), h('div', { onMouseenter: () => {}, onWheel: () => {} }, 'no pointer'), h('div', { onClick: null }, 'none')]));`,
  },
  {
    name: 'Vue: tabs',
    source: `${VUE}
      show(() => {
        const at = ref(0);
        return () => h('div', [h('ul', { class: 'tabs', style: 'cursor:default' }, ['One', 'Two', 'Three'].map((name, nth) => h('li', { u: '', key: name, onClick: () => (at.value = nth) }, name))),
          h('section', [h('h2', ['One', 'Two', 'Three'][at.value]), h('input', { u: '', 'aria-label': 'Word' })])]);
      });`,
  },
  {
    name: 'Vue: a to-do list, sent elsewhere',
    source: `${VUE}
      show(() => {
        const all = ref(['milk', 'bread']);
        const word = ref('');
        return () => h('main', [withDirectives(h('input', { u: '', 'aria-label': 'New', 'onUpdate:modelValue': (now) => (word.value = now) }), [[vModelText, word.value]]),
          h('ul', all.value.map((one) => h('li', { key: one }, [h('label', { style: 'cursor:pointer' }, [h('input', { u: '', type: 'checkbox' }), one]), h('button', { u: '' }, '×')]))),
          h(Teleport, { to: 'body' }, h('div', { role: 'alertdialog' }, [h('p', 'Sure?'), h('span', { u: '', onClick: () => {} }, 'Yes')]))]);
      });`,
  },
];
