// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest';
import { flushPromises, type VueWrapper } from '@vue/test-utils';
import { CallError, webNative } from '@/platform';
import { mountPart } from '@/shared/testing';
import MarkdownView from './MarkdownView.vue';

let wrapper: VueWrapper;
afterEach(() => wrapper.unmount());

async function show(text: string, openExternal = vi.fn(async () => undefined)) {
  const part = await mountPart(MarkdownView, { props: { text }, native: { openExternal } });
  wrapper = part.wrapper;
  return { ...part, openExternal };
}

describe('what a text can not do', () => {
  it.each([
    '<script>window.bad = 1</script>',
    '<img src=x onerror="window.bad = 1">',
    'text with <b onclick="window.bad = 1">markup</b> inside',
    '<iframe src="https://example.org"></iframe>',
    '<style>* { display: none }</style>',
    '<svg><a xlink:href="javascript:window.bad = 1">x</a></svg>',
    '| a |\n|---|\n| <img src=x> |',
    '> <form action="https://example.org"><button>x</button></form>',
    '- <video src=x></video>',
  ])('%s', async (text) => {
    await show(text);
    const known = [
      'P',
      'DIV',
      'BLOCKQUOTE',
      'UL',
      'LI',
      'TABLE',
      'THEAD',
      'TBODY',
      'TR',
      'TH',
      'TD',
    ];
    const found = [...wrapper.element.querySelectorAll('*')].map((one) => one.tagName);
    expect(found.filter((tag) => !known.includes(tag))).toEqual([]);
    // It is shown as it was written instead.
    expect(wrapper.text()).toMatch(/<\w/);
  });

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](vbscript:x)',
    '[x](file:///etc/passwd)',
    '[x](/relative)',
    '[x](//example.org)',
    '<javascript:alert(1)>',
    '![x](javascript:alert(1))',
    '[x][1]\n\n[1]: javascript:alert(1)',
  ])('%s is no link', async (text) => {
    await show(text);
    expect(wrapper.find('a').exists()).toBe(false);
    expect(wrapper.text()).not.toBe('');
  });

  it('loads no picture of elsewhere: it is a link', async () => {
    await show('![a chart](https://example.org/x.png)');
    expect(wrapper.find('img').exists()).toBe(false);
    expect(wrapper.find('a').text()).toBe('a chart');
  });
});

it('shows what Markdown has', async () => {
  await show(
    [
      '# One',
      '### Three with `code`',
      'A **bold** and *slanted* line &amp; more &#x4e2d; 2 < 3.',
      '1. first\n2. second\n   - nested',
      '- [x] done\n- [ ] open',
      '> quoted',
      '| a | b |\n|---|---|\n| 1 | `2` |',
      '---',
    ].join('\n\n'),
  );
  expect(wrapper.find('h1').exists()).toBe(false);
  expect(wrapper.find('h2').text()).toBe('One');
  expect(wrapper.find('h4 code').text()).toBe('code');
  expect(wrapper.find('strong').text()).toBe('bold');
  expect(wrapper.find('em').text()).toBe('slanted');
  expect(wrapper.find('p').text()).toBe('A bold and slanted line & more 中 2 < 3.');
  expect(wrapper.find('ol > li > ul > li').text()).toBe('nested');
  expect(wrapper.findAll('li').map((one) => one.text())).toEqual(
    expect.arrayContaining(['☑ done', '☐ open']),
  );
  expect(wrapper.find('blockquote').text()).toBe('quoted');
  expect(wrapper.find('td code').text()).toBe('2');
  expect(wrapper.find('hr').exists()).toBe(true);
});

it('copies a block of code as it is written', async () => {
  const { copied } = await show('```js\nif (a < b && c) f("&amp;");\n```');
  expect(wrapper.find('pre').text()).toBe('if (a < b && c) f("&amp;");');
  await wrapper.find('button').trigger('click');
  expect(copied).toEqual(['if (a < b && c) f("&amp;");']);
});

it('hands links to a host that opens them, whatever they are clicked with', async () => {
  const { openExternal } = await show('See [this](https://example.org/a?b=1&c=2).');
  const link = wrapper.find('a');
  expect(link.attributes()).toEqual({
    href: 'https://example.org/a?b=1&c=2',
    rel: 'noopener noreferrer',
  });
  const click = (type: string, button: number) => {
    const event = new MouseEvent(type, { button, cancelable: true });
    link.element.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect([click('click', 0), click('auxclick', 1), click('auxclick', 2)]).toEqual([
    true,
    true,
    false,
  ]);
  expect(openExternal.mock.calls).toEqual(
    Array.from({ length: 2 }, () => ['https://example.org/a?b=1&c=2']),
  );
});

it('leaves links to the browser where the host has nothing for them', async () => {
  ({ wrapper } = await mountPart(MarkdownView, {
    props: { text: 'See [this](https://example.org/).' },
    native: webNative(),
  }));
  const link = wrapper.find('a');
  expect(link.attributes()).toEqual({
    href: 'https://example.org/',
    rel: 'noopener noreferrer',
    target: '_blank',
  });
  const prevented = vi.fn();
  // Last of all, before the link would be followed.
  const look = (event: Event) => {
    prevented(event.defaultPrevented);
    event.preventDefault();
  };
  window.addEventListener('click', look, { once: true });
  await link.trigger('click');
  expect(prevented.mock.calls).toEqual([[false]]);
});

it('says when the host does not open a link, until one opens', async () => {
  const refuse = vi.fn<() => Promise<undefined>>(async () => undefined);
  refuse.mockRejectedValueOnce(new CallError({ code: 'address_not_opened' }));
  await show('See [this](https://example.org/).', refuse);
  await wrapper.find('a').trigger('click');
  await flushPromises();
  expect(wrapper.find('[role=alert]').text()).toContain('address_not_opened');
  await wrapper.find('a').trigger('click');
  await flushPromises();
  expect(wrapper.find('[role=alert]').exists()).toBe(false);
});
