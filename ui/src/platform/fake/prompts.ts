/** The fake library answers; what is changed stays so until the page is loaded again. */

import type {
  PromptContent,
  PromptCreate,
  PromptDetail,
  PromptFill,
  PromptList,
  PromptPath,
  PromptQuery,
  PromptRef,
  PromptSave,
  PromptSwitch,
  PromptVersion,
} from '@/generated/calls';
import { variablesOf } from '@/features/prompts/draft';
import { CallError } from '../transport';
import type { FakeHandlers, Scene } from '.';

const REVIEW: PromptContent = {
  name: 'Code review',
  description: 'Reviews a piece of code and lists what is wrong by severity',
  arguments: [
    { name: 'code', description: 'The code or patch', type: 'string', required: true },
    {
      name: 'focus',
      description: 'What to look at most',
      type: 'string',
      required: false,
      default: 'correctness, security and readability',
    },
  ],
  messages: [
    { role: 'system', text: 'You are a careful reviewer.' },
    { role: 'user', text: 'Review the code below with an eye on {{focus}}.\n\n{{code}}\n' },
  ],
  enabled: true,
};

function one(path: string, content: PromptContent, modified: number): PromptDetail {
  return {
    row: {
      path,
      id: path.length.toString(16).padStart(8, '0'),
      name: content.name,
      description: content.description,
      enabled: content.enabled,
      usable: content.enabled && !path.startsWith('old/'),
      arguments: content.arguments.length,
      modified,
    },
    content,
    text: `name: ${content.name}\nmessages:\n`,
    version: `${modified}`,
    variables: variablesOf(content),
  };
}

export default function prompts(scene: Scene): FakeHandlers {
  const now = Date.now();
  const library = new Map<string, PromptDetail>();
  const put = (path: string, content: PromptContent) =>
    library.set(path, one(path, content, now + library.size)).get(path);
  const plain = (name: string, text: string): PromptContent => ({
    name,
    description: '',
    arguments: [],
    messages: [{ role: 'user', text }],
    enabled: true,
  });
  if (scene !== 'empty') {
    put('code-review.yaml', REVIEW);
    put('writing/translate.yaml', plain('Translate', 'Translate into {{language}}:\n\n{{text}}'));
    put('writing/poem.yaml', { ...plain('写诗', '写一首关于 {{主题}} 的诗。'), enabled: false });
    put('old/greeting.yaml', plain('Greeting', 'Say hello.'));
  }
  if (scene === 'many') {
    for (let n = 0; n < 10_000; n += 1) put(`many/${n}.yaml`, plain(`Prompt ${n}`, `Text ${n}`));
  }
  let removed: PromptVersion[] = [];
  const versions: PromptVersion[] = [
    { path: 'code-review.yaml', version: 'aaaa', replaced: now - 60_000, bytes: 420 },
    { path: 'code-review.yaml', version: 'bbbb', replaced: now - 86_400_000, bytes: 390 },
  ];
  const found = (key: string) => {
    const prompt = library.get(key);
    if (!prompt) {
      throw new CallError({
        code: 'prompt_not_found',
        message: `There is no prompt '${key}'`,
        args: { prompt: key },
      });
    }
    return prompt;
  };
  return {
    'prompt.list': ({ words = '', group, page }: Required<PromptQuery>): PromptList => {
      const fits = [...library.values()].filter(
        ({ row, content }) =>
          row.path.startsWith(group === '' ? '' : `${group}/`) &&
          `${row.name} ${row.description} ${content.messages.map(({ text }) => text).join(' ')}`
            .toLowerCase()
            .includes(words.toLowerCase()),
      );
      return {
        prompts: fits.slice(page.offset, page.offset + page.limit).map(({ row }) => row),
        total: fits.length,
        all: library.size,
        groups:
          scene === 'empty'
            ? []
            : [
                { path: 'old', enabled: false, usable: false },
                { path: 'writing', enabled: true, usable: true },
              ],
        broken:
          scene === 'empty'
            ? []
            : [
                {
                  path: 'notes.yaml',
                  problem: {
                    code: 'prompt_invalid',
                    message: 'notes.yaml is not a prompt: it has no messages',
                    args: {},
                  },
                },
              ],
      };
    },
    'prompt.show': ({ prompt }: PromptRef) => found(prompt),
    'prompt.fill': ({ prompt, values }: PromptFill) => {
      const { content } = found(prompt);
      const given: Record<string, unknown> = { ...values };
      for (const { name, required, default: value } of content.arguments) {
        if (given[name] === undefined && (value !== undefined || !required)) {
          given[name] = value ?? '';
        }
      }
      const open = variablesOf(content).filter((name) => given[name] === undefined);
      const declared = new Set(content.arguments.map(({ name }) => name));
      return {
        messages: content.messages.map(({ role, text }) => ({
          role,
          text: text.replace(/\{\{\s*([^{}\s]+)\s*\}\}/g, (all, name: string) =>
            given[name] === undefined ? all : String(given[name]),
          ),
        })),
        missing: open.filter((name) => declared.has(name)),
        undeclared: open.filter((name) => !declared.has(name)),
        unused: [],
      };
    },
    'prompt.create': ({ group = '', content }: PromptCreate) =>
      put([group, `${content.name}.yaml`].filter(Boolean).join('/'), content),
    'prompt.save': ({ path, content, expected }: PromptSave) => {
      if (expected !== undefined && expected !== found(path).version) {
        throw new CallError({ code: 'prompt_changed', message: 'It has changed', args: { path } });
      }
      return put(path, content ?? found(path).content);
    },
    'prompt.switch': ({ group, enabled }: PromptSwitch) => {
      for (const [path, prompt] of library) {
        if (path.startsWith(`${group}/`)) prompt.row.usable = enabled;
      }
      return {};
    },
    'prompt.remove': ({ path }: PromptPath) => {
      found(path);
      library.delete(path);
      removed = [{ path, version: 'cccc', replaced: now, bytes: 100 }, ...removed];
      return {};
    },
    'prompt.versions': ({ path }: PromptPath) => ({
      versions: [...removed, ...versions].filter((version) => version.path === path),
    }),
    'prompt.diff': () => ({
      text: '--- aaaa\n+++ code-review.yaml\n@@ -1,2 +1,2 @@\n name: Code review\n-description: Reviews code\n+description: Reviews a piece of code\n',
    }),
    'prompt.restore': ({ path }: PromptPath) => {
      removed = removed.filter((version) => version.path !== path);
      return library.get(path) ?? put(path, plain(path, 'again'));
    },
    'prompt.removed': () => ({ versions: removed }),
    'prompt.preview': () => ({
      files: [
        { file: '/home/ada/mine/a.md', proposal: 'new', path: 'a.yaml' },
        { file: '/home/ada/mine/b.yaml', proposal: 'same', path: 'code-review.yaml' },
        {
          file: '/home/ada/mine/c.json',
          proposal: 'broken',
          problem: { code: 'prompt_invalid', message: 'it has no messages', args: {} },
        },
      ],
    }),
    'prompt.import': () => ({ files: [] }),
  };
}
