/** The assistant amid a wish: a shop is open, a kettle was looked for, and the order waits for the person. */

import type {
  AssistantMessage,
  AssistantMetadata,
  AssistantView,
  BrowserElement,
  BrowserPage,
} from '@/generated/calls';
import { CallError } from '../transport';
import type { FakeHandlers, Scene } from '.';

let last = 0;
export const said = (
  type: AssistantMessage['type'],
  content: string,
  metadata: Partial<AssistantMetadata> = {},
): AssistantMessage => ({
  id: `m${(last += 1)}`,
  type,
  content,
  timestamp: Date.now() - 60_000,
  isMe: type === 'user',
  metadata: { wish: 'w1', synthetic: false, ...metadata },
});

export const step = (actionType: string, more: Partial<AssistantMetadata> = {}, content = '') =>
  said('system', content, {
    part: 'step',
    actionType,
    success: true,
    executionTime: 420,
    ...more,
  });

export const ended = (content: string, more: Partial<AssistantMetadata> = {}) =>
  said('assistant', content, { part: 'end', success: true, executionTime: 5200, ...more });

const error = (code: string, message: string, hint = '') => ({ code, message, hint, args: {} });

export const messages = (): AssistantMessage[] => [
  said('user', 'Buy a blue kettle'),
  said('system', 'Looked at the page: 7 elements', { part: 'notice', elementCount: 7 }),
  step('input', { label: 'Search', value: 'blue', reason: 'It is looked for by its colour' }),
  step('click', { label: 'Find', url: 'https://shop.example/' }),
  step('click', {
    label: 'Half price',
    success: false,
    error: error(
      'assistant_element_missing',
      'The element was not found; the page may have changed',
    ),
    recovery: 'RESCAN',
  }),
  step('extract', {}, 'Blue kettle\t€ 24\nGreen kettle\t€ 26'),
  ended('The **blue kettle** is € 24 and lies in the cart.'),
];

export const element = (id: number, name: string, more: Partial<BrowserElement> = {}) => ({
  id,
  tagName: 'button',
  className: '',
  type: null,
  role: null,
  text: name,
  name,
  rect: { x: 24 + 130 * id, y: 80 * id, width: 120, height: 32 },
  state: { disabled: false },
  visible: true,
  ...more,
});

export const page = (more: Partial<BrowserPage> = {}): BrowserPage => ({
  url: 'https://shop.example/',
  title: 'Kettles & co',
  elements: [
    element(1, 'Search', { tagName: 'input', type: 'text' }),
    element(2, 'Find'),
    element(3, 'Add Blue kettle', { tagName: 'span' }),
    element(4, 'Imprint', { tagName: 'a', visible: false }),
  ],
  more: 0,
  below: 300,
  width: 1200,
  height: 800,
  ...more,
});

export const view = (more: Partial<AssistantView> = {}): AssistantView => ({
  options: {
    browser: 'cdp',
    address: 'http://127.0.0.1:9222',
    askEach: false,
    offered: false,
    debug: false,
    elements: 100,
  },
  at: { url: 'https://shop.example/', title: 'Kettles & co', browser: 'Chrome 150.0' },
  hasModel: true,
  hasWindow: false,
  statistics: {
    wishes: 12,
    fulfilled: 10,
    steps: 61,
    stepsDone: 58,
    asked: 80,
    askFailed: 1,
    known: 4,
    median: 1200,
    p95: 4100,
  },
  sites: ['https://mail.example', 'https://shop.example'],
  ...more,
});

function shown(scene: Scene): AssistantView {
  if (scene !== 'empty') return view();
  const none = view({ hasModel: false, sites: [] });
  delete none.at;
  return none;
}

export default (scene: Scene): FakeHandlers => ({
  'assistant.show': () => shown(scene),
  'assistant.now': () => ({}),
  'assistant.messages': ({ limit }: { limit: number }) => ({
    messages:
      scene === 'empty'
        ? []
        : scene === 'many'
          ? Array.from({ length: Math.ceil(limit / 7) }, messages)
              .flat()
              .slice(-limit)
          : messages(),
    more: scene === 'many',
  }),
  'assistant.look': () => {
    if (scene === 'error')
      throw new CallError(error('assistant_browser_gone', 'The browser is gone'));
    return page();
  },
  'assistant.send': () => ({ wish: 'w2' }),
  'assistant.stop': () => ({}),
  'assistant.clear': () => ({}),
  'assistant.close': () => ({}),
  'assistant.change': () => shown(scene),
  'assistant.forget_site': () => ({}),
  'assistant.open': ({ to }: { to: string }) => ({ url: to, title: '', browser: 'Chrome 150.0' }),
});
