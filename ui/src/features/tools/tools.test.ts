import { describe, expect, it } from 'vitest';
import { createSSRApp, h } from 'vue';
import { createI18n } from 'vue-i18n';
import { renderToString } from 'vue/server-renderer';
import type { ToolRow, ToolState } from '@/generated/calls';
import en from '@/locales/en.json';
import zhCN from '@/locales/zh-CN.json';
import ToolItem from './ToolItem.vue';
import { inOrder, secondLine, shownState } from './toolState';

const tool = (change: Partial<ToolRow> = {}): ToolRow => ({
  name: 'filesystem',
  title: 'Files',
  version: '1.2.3',
  description: 'Reads & writes',
  author: '',
  tags: [],
  builtIn: true,
  state: 'ready',
  ...change,
});

function render(row: ToolRow, locale: 'en' | 'zh-CN', chosen = false): Promise<string> {
  const i18n = createI18n({ legacy: false, locale, messages: { en, 'zh-CN': zhCN } });
  return renderToString(
    createSSRApp({ render: () => h(ToolItem, { tool: row, chosen }) }).use(i18n),
  );
}

describe('a row', () => {
  it.each<[ToolState, string, string, string]>([
    ['ready', 'good', 'Ready', '就绪'],
    ['needs_configuration', 'warn', 'Needs configuration', '需要配置'],
    ['dependencies_missing', 'warn', 'Dependencies missing', '缺少依赖'],
    ['broken', 'bad', 'Broken', '已损坏'],
  ])('shows %s by tone and word', async (state, tone, word, wordZh) => {
    const html = await render(tool({ state }), 'en');
    expect(html).toContain(`state-mark ${tone}`);
    expect(html).toContain(`<span>${word}</span>`);
    expect(await render(tool({ state }), 'zh-CN')).toContain(`<span>${wordZh}</span>`);
  });

  it('has shapes that differ without colour', async () => {
    const shapes = await Promise.all(
      (['ready', 'needs_configuration', 'broken'] as const).map(
        async (state) => /<svg[^>]*>(.*?)<\/svg>/s.exec(await render(tool({ state }), 'en'))?.[1],
      ),
    );
    expect(new Set(shapes).size).toBe(3);
  });

  it('keeps what is cut in its tooltip and escapes it', async () => {
    const html = await render(tool(), 'en', true);
    expect(html).toContain('title="Reads &amp; writes"');
    expect(html).toContain('1.2.3');
    expect(html).toContain('aria-current="true"');
    expect(await render(tool(), 'en')).not.toContain('aria-current');
  });
});

it('says why a tool is not ready instead of what it is for', () => {
  const problem = { code: 'x', message: 'line 3', args: {} };
  expect(secondLine(tool({ state: 'broken', problem }))).toBe('line 3');
  expect(secondLine(tool({ state: 'ready', problem }))).toBe('Reads & writes');
  expect(secondLine(tool({ state: 'broken' }))).toBe('Reads & writes');
});

it('shows a state of a newer owner as it is called', () => {
  expect(shownState('frozen')).toEqual({ tone: 'quiet', key: undefined, raw: 'frozen' });
});

it('lists broken tools first, then by name', () => {
  const rows = [tool({ name: 'b' }), tool({ name: 'c', state: 'broken' }), tool({ name: 'a' })];
  expect(inOrder(rows).map(({ name }) => name)).toEqual(['c', 'a', 'b']);
});
