/** Model services that say what they were taught. */

import type {
  ModelKey,
  ModelList,
  ModelRef,
  ModelRow,
  ModelSave,
  ModelUse,
  PromptOptimise,
  PromptTry,
} from '@/generated/calls';
import { CallError } from '../transport';
import type { FakeHandlers, Scene } from '.';

export default function models(scene: Scene): FakeHandlers {
  let services: ModelRow[] =
    scene === 'empty'
      ? []
      : [
          {
            name: 'local',
            protocol: 'ollama',
            model: 'qwen3:8b',
            terms: {},
            hasKey: false,
            default: true,
          },
          {
            name: 'work',
            protocol: 'openai',
            baseUrl: 'https://models.example.com/v1',
            model: 'gpt-5-mini',
            terms: { window: 200_000, inputPrice: 3, outputPrice: 15 },
            hasKey: true,
            default: false,
          },
        ];
  const list = (): ModelList => ({
    services: services.map((service) => ({ ...service })),
    keysFile: '~/.prompt-manager/secrets/models.json',
  });
  const named = (name: string | undefined): ModelRow => {
    const found = services.find((one) => (name === undefined ? one.default : one.name === name));
    if (found) return found;
    throw new CallError({ code: 'model_unknown', message: `There is no service ${name ?? ''}` });
  };
  const use = (name: string | undefined): ModelUse => ({
    service: named(name).name,
    model: named(name).model,
    input: 42,
    output: 128,
    finish: 'done',
    durationMs: 1840,
  });
  return {
    'models.list': list,
    'models.save': ({ was, key, terms, ...described }: ModelSave) => {
      const before = services.find(({ name }) => name === was);
      const saved: ModelRow = {
        ...described,
        terms: terms ?? before?.terms ?? {},
        hasKey: key === undefined ? (before?.hasKey ?? false) : key !== '',
        default: before?.default ?? services.length === 0,
      };
      services = before
        ? services.map((one) => (one === before ? saved : one))
        : [...services, saved];
      return list();
    },
    'models.remove': ({ name }: ModelRef) => {
      services = services.filter((one) => one.name !== name);
      return list();
    },
    'models.default': ({ name }: ModelRef) => {
      services = services.map((one) => ({ ...one, default: one.name === name }));
      return list();
    },
    'models.key': ({ name, key }: ModelKey) => {
      named(name).hasKey = key !== undefined;
      return list();
    },
    'models.test': ({ name }: ModelRef) => {
      if (named(name).name === 'work') {
        throw new CallError({
          code: 'model_unauthorized',
          message: "The service 'work' does not accept the key (401)",
          hint: 'Check that the key is right and may use this model.',
          args: {},
        });
      }
      return { text: 'Yes', firstMs: 214, totalMs: 260 };
    },
    'prompt.try': ({ service, run }: PromptTry) => ({
      run: run ?? '',
      text: 'Two things stand out.\n\n1. The loop reads past the end.\n2. Names say little.',
      use: use(service),
    }),
    'prompt.optimise': ({ content, way, service, run }: PromptOptimise) => {
      const messages = content.messages.map(({ role, text }, at) => ({
        role,
        text: at === content.messages.length - 1 ? `${text.trimEnd()}\n\nAnswer briefly.\n` : text,
      }));
      return {
        run: run ?? '',
        messages,
        diff: '@@ -1,1 +1,3 @@\n Review the code.\n+\n+Answer briefly.\n',
        ...(way === 'deep' && { review: 'The form of the answer is missing.' }),
        lost: [],
        added: [],
        use: use(service),
      };
    },
  };
}
