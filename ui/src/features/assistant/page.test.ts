// @vitest-environment happy-dom
import { afterEach, beforeAll, expect, test } from 'vitest';
import { nextTick } from 'vue';
import type { ApprovalRow } from '@/generated/calls';
import { CallError } from '@/platform';
import type { FakeHandlers, Scene } from '@/platform/fake';
import assistant, { ended, page, said, view } from '@/platform/fake/assistant';
import AssistantSection from '@/features/settings/AssistantSection.vue';
import { button, mountPart, sent, settle, words, write, type Mounted } from '@/shared/testing';
import AssistantPage from './AssistantPage.vue';
import AvaButton from './AvaButton.vue';
import { outlineOf } from './model';

let mounted: Mounted | undefined;
afterEach(() => {
  mounted?.wrapper.unmount();
  mounted = undefined;
  document.body.innerHTML = '';
  localStorage.clear();
});
beforeAll(() => {
  Element.prototype.scrollTo = () => undefined;
});

const none: FakeHandlers = { 'approval.list': () => ({ approvals: [], total: 0 }) };

async function mountAt(
  part: Parameters<typeof mountPart>[0],
  { scene = 'full' as Scene, more = {} as FakeHandlers, at = '/assistant' } = {},
) {
  mounted = await mountPart(part, { at, handlers: { ...none, ...assistant(scene), ...more } });
  await settle();
  return mounted;
}

const field = 'What do you want done?';
const press = (key: string, more = {}) =>
  document
    .querySelector('textarea')
    ?.dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }),
    );

test('the conversation shows what was said and done, and what failed', async () => {
  await mountAt(AssistantPage);
  expect(words()).toContain('Buy a blue kettle');
  expect(words()).toContain('Type “blue” into “Search”');
  expect(words()).toContain('The element was not found; the page may have changed');
  expect(document.querySelector('.end strong')?.textContent).toBe('blue kettle');
  expect(words()).toContain('Blue kettle\t€ 24');
});

test('whoever asks for it from elsewhere can write at once', async () => {
  await mountAt(AssistantPage, { at: '/assistant?ask=1' });
  expect(document.activeElement).toBe(document.querySelector('textarea'));
  expect(mounted?.router.currentRoute.value.fullPath).toBe('/assistant');
});

test('what a model says is no markup', async () => {
  await mountAt(AssistantPage, {
    more: {
      'assistant.messages': () => ({
        messages: [ended('<img src=x onerror=alert(1)> [x](javascript:alert(1))')],
        more: false,
      }),
    },
  });
  expect(document.querySelector('.messages img')).toBeNull();
  expect(document.querySelector('.messages a[href^="javascript"]')).toBeNull();
});

test('a wish is sent by Enter, once, and what was typed goes', async () => {
  const { transport } = await mountAt(AssistantPage);
  write(field, '  find it ');
  await nextTick();
  press('Enter', { shiftKey: true });
  expect(sent(transport, 'assistant.send')).toEqual([]);
  press('Enter');
  press('Enter');
  await settle();
  expect(sent(transport, 'assistant.send')).toEqual([{ text: '  find it ' }]);
  expect(document.querySelector('textarea')?.value).toBe('');
});

// Seed 003, property 4.
test('white space alone is not sent, and the conversation stays', async () => {
  const { transport } = await mountAt(AssistantPage);
  const before = document.querySelectorAll('.said-item').length;
  for (let nth = 0; nth < 120; nth += 1) {
    write(field, [' ', '\n', '\t', '　'][nth % 4]?.repeat(nth % 7) ?? '');
    await nextTick();
    press('Enter');
  }
  await settle();
  expect(sent(transport, 'assistant.send')).toEqual([]);
  expect(document.querySelectorAll('.said-item')).toHaveLength(before);
});

test('what is refused stays typed, with the reason', async () => {
  await mountAt(AssistantPage, {
    more: {
      'assistant.send': () => {
        throw new CallError({ code: 'assistant_busy', message: 'At work.', args: {} });
      },
    },
  });
  write(field, 'find it');
  await nextTick();
  button('Send').click();
  await settle();
  expect(document.querySelector('textarea')?.value).toBe('find it');
  expect(words()).toContain('At work.');
});

const working = view({
  wish: { id: 'w1', text: 'Buy', since: Date.now() - 3000, thinking: 'one\ntwo\n{"actions": [' },
});

test('what is done now is shown, what is asked too, and it can be stopped', async () => {
  const approval: ApprovalRow = {
    id: 'a1',
    subject: 'assistant:w1',
    kind: 'step',
    value: 'click "Order now" · https://shop.example · pays or orders',
    detail: { reason: 'It is the blue one' },
    actor: { kind: 'agent', name: 'Ava' },
    state: 'waiting',
    createdAt: 1,
  };
  const { transport } = await mountAt(AssistantPage, {
    more: {
      'assistant.show': () => working,
      'assistant.now': () => ({ wish: working.wish }),
      'approval.list': () => ({ approvals: [approval], total: 1 }),
      'approval.resolve': () => ({ ...approval, state: 'allowed_for_task' }),
    },
  });
  expect(words()).toContain('Thinking…');
  expect(words()).toContain('{"actions": [');
  expect(words()).toContain('Ava wants to do a step on the page');
  button('Allow for this wish').click();
  press('Escape');
  await settle();
  expect(sent(transport, 'approval.resolve')).toEqual([{ id: 'a1', answer: 'allow_for_task' }]);
  expect(sent(transport, 'assistant.stop')).toEqual([{}]);
});

test.each([
  ['RETRY', 'Try again', true],
  ['REGENERATE', 'Ask again', true],
  ['RESCAN', 'Look again and retry', true],
  ['MANUAL_CHECK', 'Look at the page', false],
  ['CHECK_CONFIG', 'Check the model', false],
] as const)('%s leads to what helps', async (recovery, name, again) => {
  const { transport, router } = await mountAt(AssistantPage, {
    more: {
      'assistant.messages': () => ({
        messages: [said('user', 'Buy it'), ended('No.', { success: false, recovery })],
        more: false,
      }),
    },
  });
  button(name).click();
  await settle();
  expect(sent(transport, 'assistant.send')).toEqual(again ? [{ text: 'Buy it' }] : []);
  if (recovery === 'CHECK_CONFIG') expect(router.currentRoute.value.path).toBe('/settings/models');
});

test('an error that nothing helps against can be reported', async () => {
  const { copied } = await mountAt(AssistantPage, {
    more: {
      'assistant.messages': () => ({
        messages: [
          ended('No.', {
            success: false,
            recovery: 'REPORT',
            error: { code: 'odd', message: 'Odd.', args: { n: 1 } },
          }),
        ],
        more: false,
      }),
    },
  });
  button('Copy: the error').click();
  await settle();
  expect(copied).toEqual(['odd: Odd.\n{"n":1}']);
});

test('elements are outlined where they are, and can be hidden', async () => {
  await mountAt(AssistantPage);
  const outlines = document.querySelectorAll<HTMLElement>('.outline');
  expect(outlines).toHaveLength(3);
  const where = outlineOf({ rect: { x: 300, y: 200, width: 60, height: 40 } }, page());
  expect(where).toEqual({ left: '25.000%', top: '25.000%', width: '5.000%', height: '5.000%' });
  button('Outline what can be used').click();
  await settle();
  expect(document.querySelectorAll('.outline')).toHaveLength(0);
});

test('an address is opened, and one that cannot be says why', async () => {
  const { transport } = await mountAt(AssistantPage);
  write('Address', 'example.com');
  await nextTick();
  document.querySelector('.bar')?.dispatchEvent(new Event('submit', { cancelable: true }));
  await settle();
  button('Back').click();
  await settle();
  expect(sent(transport, 'assistant.open')).toEqual([{ to: 'example.com' }, { to: 'back' }]);
});

test('without a model and a page it says what is missing', async () => {
  const { router } = await mountAt(AssistantPage, { scene: 'empty' });
  expect(words()).toContain('No model is set up yet.');
  expect(words()).toContain('No page is open');
  expect(words()).toContain('--remote-debugging-port=9222');
  button('Settings of the assistant').click();
  await settle();
  expect(router.currentRoute.value.path).toBe('/settings/assistant');
});

test('a page that cannot be looked at says why', async () => {
  await mountAt(AssistantPage, { scene: 'error' });
  expect(words()).toContain('The browser is gone');
});

test('settings are saved one by one, and a site is forgotten', async () => {
  const { transport } = await mountAt(AssistantSection, {
    more: { 'models.list': () => ({ services: [] }) },
  });
  write('Elements of one look', '200');
  await nextTick();
  document.querySelectorAll('form')[1]?.dispatchEvent(new Event('submit', { cancelable: true }));
  await settle();
  button('Forget https://shop.example').click();
  await settle();
  expect(sent(transport, 'assistant.change')).toEqual([{ elements: 200 }]);
  expect(sent(transport, 'assistant.forget_site')).toEqual([{ to: 'https://shop.example' }]);
});

const ava = () => {
  const found = document.querySelector<HTMLElement>('.ava-button');
  if (!found) throw new Error('no button');
  return found;
};

/** A press of a pointer, with the times that its events have. */
function pointer(from: number, to: number, ms: number) {
  const make = (type: string, x: number, at: number) => {
    const event = new MouseEvent(type, { bubbles: true, clientX: x, clientY: 100, button: 0 });
    Object.defineProperty(event, 'timeStamp', { value: at });
    Object.defineProperty(event, 'pointerId', { value: 1 });
    return event;
  };
  ava().dispatchEvent(make('pointerdown', from, 1000));
  ava().dispatchEvent(make('pointermove', to, 1000 + ms));
  ava().dispatchEvent(make('pointerup', to, 1000 + ms));
}

const isOpen = () => document.querySelector('.ava-dialog') !== null;

// Seed 003, properties 1 to 3.
test('clicks toggle, drags do not, and the conversation is the same each time', async () => {
  await mountAt(AvaButton, { at: '/tools' });
  let expanded = false;
  let shown: string | undefined;
  for (let nth = 0; nth < 120; nth += 1) {
    const drags = (nth * 7919) % 3 === 0;
    if (drags) pointer(500, 500 + 10 + (nth % 90), 101 + nth * 3);
    else pointer(500, 500 + (nth % 4), nth * 5);
    if (!drags) expanded = !expanded;
    await nextTick();
    expect(isOpen()).toBe(expanded);
    if (!expanded) continue;
    // What was read before is there at once.
    if (shown === undefined) await settle();
    const now = document.querySelector('.ava-dialog ol')?.textContent;
    shown ??= now;
    expect(now).toBe(shown);
  }
  expect(shown).toContain('Buy a blue kettle');
});

test('it keeps to its corner of the window until somebody moves it', async () => {
  localStorage.removeItem('pm.ava.x');
  localStorage.removeItem('pm.ava.y');
  const resize = async (width: number) => {
    window.innerWidth = width;
    window.dispatchEvent(new Event('resize'));
    await nextTick();
  };
  const before = window.innerWidth;
  await resize(500);
  await mountAt(AvaButton, { at: '/tools' });
  // A click moves nothing.
  pointer(450, 450, 10);
  await resize(1200);
  expect(ava().style.left).toBe('1136px');
  await resize(800);
  expect(ava().style.left).toBe('736px');
  pointer(700, 400, 200);
  await resize(1200);
  expect(ava().style.left).toBe('436px');
  localStorage.removeItem('pm.ava.x');
  localStorage.removeItem('pm.ava.y');
  await resize(before);
});

test('by the keyboard it is a button, and Escape closes it', async () => {
  await mountAt(AvaButton, { at: '/tools' });
  ava().click();
  await settle();
  expect(isOpen()).toBe(true);
  expect(document.activeElement?.tagName).toBe('TEXTAREA');
  press('Escape');
  await settle();
  expect(isOpen()).toBe(false);
  expect(document.activeElement).toBe(ava());
});

test('it is not there in its own room, nor before there is anything to ask', async () => {
  await mountAt(AvaButton);
  expect(document.querySelector('.ava-button')).toBeNull();
  mounted?.wrapper.unmount();
  const { statistics } = view();
  await mountAt(AvaButton, {
    at: '/tools',
    more: {
      'assistant.show': () => view({ hasModel: false, statistics: { ...statistics, wishes: 0 } }),
    },
  });
  expect(document.querySelector('.ava-button')).toBeNull();
});

test('thousands of messages come by and by', async () => {
  const { transport } = await mountAt(AssistantPage, { scene: 'many' });
  expect(document.querySelectorAll('.said-item')).toHaveLength(100);
  button('Older messages').click();
  await settle();
  expect(sent(transport, 'assistant.messages').at(-1)).toEqual({ limit: 200 });
  expect(document.querySelectorAll('.said-item')).toHaveLength(200);
});
