// @vitest-environment happy-dom
import type { VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PromptOptimise, PromptTry, RunNews, RunWatch } from '@/generated/calls';
import { CallError } from '@/platform';
import { handlersOf, type FakeHandlers } from '@/platform/fake';
import { button, mountPart, settle, write } from '@/shared/testing';
import PromptsPage from './PromptsPage.vue';

let wrapper: VueWrapper | undefined;
beforeEach(() => localStorage.clear());
afterEach(() => {
  wrapper?.unmount();
  document.body.replaceChildren();
});

async function page(at: string, more: FakeHandlers = {}) {
  const mounted = await mountPart(PromptsPage, {
    handlers: { ...handlersOf('full'), ...more },
    at,
  });
  wrapper = mounted.wrapper;
  await settle();
  return mounted;
}

const text = (selector: string) => document.querySelector(selector)?.textContent?.trim();
const GREETING = '/prompts/old%2Fgreeting.yaml';
const REVIEW = '/prompts/code-review.yaml';

/** A run that says `lines` and answers when it is told to. */
function slow(answer: (params: PromptTry) => unknown, lines: string[]) {
  let run = '';
  let end: (failure?: CallError) => void = () => undefined;
  const handlers: FakeHandlers = {
    'prompt.try': (params: PromptTry) => {
      run = params.run ?? '';
      return new Promise((resolve, reject) => {
        end = (failure) => (failure ? reject(failure) : resolve(answer(params)));
      });
    },
    'run.watch': async (asked: RunWatch): Promise<RunNews> => {
      if (asked.version > 0) return new Promise(() => undefined);
      return {
        state: asked.run === run ? 'running' : 'waiting',
        lines: lines.map((said) => ({ at: 0, level: 'INFO', stream: 'stdout', text: said })),
        next: lines.length,
        version: 1,
      };
    },
    'run.cancel': () => {
      end(new CallError({ code: 'cancelled' }));
      return {};
    },
  };
  return { handlers, end: () => end(), run: () => run };
}

describe('trying a prompt', () => {
  it('waits for what is required, then asks the default service with what was filled in', async () => {
    const { transport, copied } = await page(REVIEW);
    expect(button('Try').disabled).toBe(true);
    write('code', 'let x = 1;');
    await settle();
    button('Try').click();
    await settle();
    const asked = transport.calls.find(({ name }) => name === 'prompt.try')?.params as PromptTry;
    expect(asked).toMatchObject({
      prompt: 'code-review.yaml',
      values: { code: 'let x = 1;' },
      service: 'local',
    });
    expect(asked.run).toMatch(/^[0-9a-f-]{36}$/);
    expect(text('.model-answer .text')).toContain('Two things stand out.');
    expect(text('.model-answer')).toContain('local · qwen3:8b · 42 → 128 tokens');
    button('Copy: Answer').click();
    await settle();
    expect(copied[0]).toContain('Names say little.');
  });

  it('shows words as they come, and stops when it is told to', async () => {
    const run = slow(() => undefined, ['Two ', 'things']);
    const { transport } = await page(GREETING, run.handlers);
    button('Try').click();
    await settle();
    expect(text('.model-answer .text')).toBe('Two things');
    expect(document.querySelector('.model-answer')?.getAttribute('aria-busy')).toBe('true');
    button('Stop').click();
    await settle();
    const cancelled = transport.calls.find(({ name }) => name === 'run.cancel')?.params;
    expect(cancelled).toEqual({ run: run.run() });
    // What came stays, and it is said that there is no more.
    expect(text('.model-answer')).toContain('Two things');
    expect(text('.model-answer')).toContain('Stopped.');
    expect(document.querySelector('[role=alert]')).toBeNull();
    expect(button('Try').disabled).toBe(false);
  });

  it('calls the model off when nobody listens any more', async () => {
    const run = slow(() => undefined, ['Two ']);
    const { transport } = await page(GREETING, run.handlers);
    button('Try').click();
    await settle();
    wrapper?.unmount();
    wrapper = undefined;
    await settle();
    expect(transport.calls.filter(({ name }) => name === 'run.cancel')).toHaveLength(1);
  });

  it('says why there is no answer', async () => {
    await page(GREETING, {
      'prompt.try': () => {
        throw new CallError({ code: 'model_unreachable', message: 'Nobody is there.', args: {} });
      },
    });
    button('Try').click();
    await settle();
    expect(text('[role=alert]')).toContain('Nobody is there.');
  });

  it('without a model leads to where one is added', async () => {
    await page(GREETING, { 'models.list': () => ({ services: [], keysFile: 'x' }) });
    const link = document.querySelector<HTMLAnchorElement>('.try-part a');
    expect(link?.getAttribute('href')).toBe('/settings/models');
    expect(
      [...document.querySelectorAll('button')].map((one) => one.textContent?.trim()),
    ).not.toContain('Try');
  });
});

describe('optimising a prompt', () => {
  const optimise = async () => {
    button('Optimise').click();
    await settle();
  };

  it('shows what would be different and takes it into the draft only when it is accepted', async () => {
    const { transport } = await page(`${REVIEW}/edit`);
    await optimise();
    button('Ask the model').click();
    await settle();
    const asked = transport.calls.find(({ name }) => name === 'prompt.optimise')
      ?.params as PromptOptimise;
    expect(asked).toMatchObject({ way: 'quick', service: 'local' });
    expect(asked).not.toHaveProperty('wish');
    expect(document.querySelector('.optimise-part .diff .added')?.textContent).toContain('+');
    expect(button('Save').disabled).toBe(true);
    button('Accept').click();
    await settle();
    const last = [...document.querySelectorAll<HTMLTextAreaElement>('.message textarea')].at(-1);
    expect(last?.value).toContain('Answer briefly.');
    expect(button('Save').disabled).toBe(false);
    expect(document.querySelector('.proposal')).toBeNull();
    expect(transport.calls.some(({ name }) => name === 'prompt.save')).toBe(false);
  });

  it('leaves the draft as it is when it is rejected', async () => {
    await page(`${REVIEW}/edit`);
    await optimise();
    button('Ask the model').click();
    await settle();
    button('Reject').click();
    await settle();
    const last = [...document.querySelectorAll<HTMLTextAreaElement>('.message textarea')].at(-1);
    expect(last?.value).not.toContain('Answer briefly.');
    expect(button('Save').disabled).toBe(true);
  });

  it('sends a wish with the text as it stands, saved or not', async () => {
    const { transport } = await page(`${REVIEW}/edit`);
    write('Description', 'mine');
    await optimise();
    document.querySelector<HTMLInputElement>('.optimise-part input[value=wish]')?.click();
    await settle();
    expect(button('Ask the model').disabled).toBe(true);
    write('What should be different?', 'a table');
    await settle();
    button('Ask the model').click();
    await settle();
    const asked = transport.calls.find(({ name }) => name === 'prompt.optimise')?.params;
    expect(asked).toMatchObject({ way: 'wish', wish: 'a table', content: { description: 'mine' } });
  });

  it('names variables that the proposal lost or brought, and a text that changed meanwhile', async () => {
    const answer = handlersOf('full')['prompt.optimise'];
    await page(`${REVIEW}/edit`, {
      'prompt.optimise': (params: PromptOptimise) => ({
        ...(answer?.(params) as object),
        lost: ['code', 'focus'],
        added: ['tone'],
      }),
    });
    await optimise();
    button('Ask the model').click();
    await settle();
    const alerts = [...document.querySelectorAll('.proposal [role=alert]')].map(
      (one) => one.textContent,
    );
    expect(alerts[0]).toContain('code, focus');
    expect(alerts[1]).toContain('tone');
    const area = document.querySelector<HTMLTextAreaElement>('.message textarea');
    if (!area) throw new Error('no message');
    area.value = 'Typed meanwhile';
    area.dispatchEvent(new Event('input', { bubbles: true }));
    await settle();
    expect(text('.proposal [role=status]')).toContain('accepting replaces it');
  });
});
