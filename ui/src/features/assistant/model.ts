/** What the assistant's messages and elements come to, in words and in places. */

import type {
  AssistantMessage,
  AssistantMetadata,
  AssistantStep,
  BrowserElement,
  BrowserPage,
} from '@/generated/calls';

/** How a page is shown where nothing says how large it is. */
const WIDE = { width: 1200, height: 800 };

export const sizeOf = ({ width, height }: Pick<BrowserPage, 'width' | 'height'>) =>
  width > 0 && height > 0 ? { width, height } : WIDE;

const percent = (part: number, whole: number) => `${((part / whole) * 100).toFixed(3)}%`;

/** Where an element's outline is, over a picture of any size. */
export function outlineOf({ rect }: Pick<BrowserElement, 'rect'>, page: BrowserPage) {
  const { width, height } = sizeOf(page);
  return {
    left: percent(rect.x, width),
    top: percent(rect.y, height),
    width: percent(rect.width, width),
    height: percent(rect.height, height),
  };
}

/** What an element is called: its name, what it says, or what it is. */
export const labelOf = ({ name, text, tagName }: BrowserElement) => name || text || tagName;

/** Kinds of steps that have words of their own. */
const WORDED = [
  'click',
  'input',
  'select',
  'scroll',
  'hover',
  'key',
  'navigate',
  'wait',
  'observe',
  'extract',
  'screenshot',
] as const;

/** The key of a step's words: with an element, with a value, with both, or with none. */
export function wordsOfStep(kind: string, label: string | undefined, value: string | undefined) {
  const known = WORDED.find((one) => one === kind);
  if (!known) return 'assistant.step.other';
  const parts = [label && 'Label', value && 'Value'].filter(Boolean).join('');
  return `assistant.step.${known}${parts}`;
}

export const stepOf = ({ actionType, label, value }: AssistantMetadata) => ({
  kind: actionType ?? '',
  label,
  value,
});

export const nowOf = ({ type, label, value }: AssistantStep) => ({
  kind: type,
  label: label || undefined,
  value,
});

/** Whether it can be sent: words, not white space alone (seed 003, property 4). */
export const isSendable = (text: string) => text.trim() !== '';

/** The wish that a message belongs to, as the person said it. */
export const wishOf = (messages: readonly AssistantMessage[], id: string | undefined) =>
  messages.find(({ isMe, metadata }) => isMe && metadata.wish === id)?.content;

/** The end of a long text: what was said last. */
export const lastLines = (text: string, lines: number) => text.split('\n').slice(-lines).join('\n');
