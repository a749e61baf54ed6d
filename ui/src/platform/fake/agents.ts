/** Tasks of agents: one whose team is at work, one that waits for a budget, one that was stopped. */

import type {
  SocietyAgent,
  SocietyMessage,
  SocietyMessageQuery,
  SocietyOpen,
  SocietyRef,
  SocietyReplay,
  SocietyRow,
  SocietyStepQuery,
  SocietyView,
} from '@/generated/calls';
import { CallError } from '../transport';
import type { FakeHandlers, Scene } from '.';

const HOUR = 3_600_000;

export const row = (id: string, title: string, more: Partial<SocietyRow> = {}): SocietyRow => ({
  id,
  title,
  standing: 'waiting',
  createdAt: Date.now() - 5 * HOUR,
  changedAt: Date.now() - HOUR,
  version: 40,
  agents: 4,
  messages: 7,
  told: 2,
  actor: { kind: 'person', name: 'web' },
  ...more,
});

const spent = (tokens: number, calls: number) => ({
  tokens,
  calls,
  money: 0,
  time: 90_000,
  agents: 0,
});

export const agent = (id: number, more: Partial<SocietyAgent> = {}): SocietyAgent => ({
  id,
  objective: 'a calculator',
  state: 'resting',
  inbox: 0,
  spent: spent(1800 * id, 4 * id),
  budget: {},
  ...more,
});

export const message = (
  id: number,
  from: SocietyMessage['from'],
  to: SocietyMessage['to'],
  text: string,
  more: Partial<SocietyMessage> = {},
): SocietyMessage => ({
  id,
  from,
  to,
  kind: 'sent',
  text,
  at: Date.now() - HOUR + id * 1000,
  ...more,
});

const AGENTS = [
  agent(1, { budget: { tokens: 20_000, calls: 100 }, spent: { ...spent(18_400, 61), agents: 3 } }),
  agent(2, { parent: 1, role: 'architect', state: 'thinking', context: 0.74 }),
  agent(3, { parent: 2, role: 'programmer', state: 'calling', tool: 'run_command' }),
  agent(4, {
    parent: 2,
    role: 'programmer',
    state: 'failed',
    failure: {
      code: 'loop_detected',
      message: 'The same steps came again and again: stopped',
      args: {},
    },
  }),
];

const MESSAGES = [
  message(1, 'user', { agent: 1 }, 'A calculator for the shell', { kind: 'brief' }),
  message(2, { agent: 1 }, { agent: 2 }, 'Objective: a calculator', { kind: 'brief' }),
  message(3, { agent: 2 }, 'user', 'Two modules. **May I?**', { artifacts: [1] }),
  message(4, 'user', { agent: 2 }, 'Yes, please.'),
  message(5, 'society', { agent: 2 }, 'calc/4 could not go on: loop_detected', { kind: 'notice' }),
];

/** Ten below the first, ten below each of them, and so on. */
function manyAgents(): SocietyAgent[] {
  return Array.from({ length: 1000 }, (_, nth) =>
    agent(nth + 1, nth === 0 ? {} : { parent: Math.ceil(nth / 10), role: 'programmer' }),
  );
}

function manyMessages(): SocietyMessage[] {
  return Array.from({ length: 10_000 }, (_, nth) =>
    nth % 2 === 0
      ? message(nth + 1, 'user', { agent: 1 }, `Question ${nth + 1}`)
      : message(nth + 1, { agent: 1 }, 'user', `Answer ${nth + 1}, **with words**`),
  );
}

export default function (scene: Scene): FakeHandlers {
  let all: SocietyRow[] =
    scene === 'empty'
      ? []
      : [
          row('calc', 'A calculator', { standing: 'working' }),
          row('poem', 'A poem about the sea', { standing: 'paused', agents: 1 }),
          row('old', 'An old one', { standing: 'stopped', agents: 2 }),
        ];
  if (scene === 'many') {
    all = Array.from({ length: 10_000 }, (_, nth) =>
      row(`t${nth}`, `Task ${nth}`, { agents: 1000, messages: 10_000, version: 100_000 }),
    );
  }
  const agents = scene === 'many' ? manyAgents() : AGENTS;
  const said = scene === 'many' ? manyMessages() : MESSAGES;
  const of = (task: string): SocietyRow => {
    const found = all.find(({ id, removedAt }) => id === task && removedAt === undefined);
    if (found) return found;
    throw new CallError({ code: 'society_task_not_found', message: 'There is no such task' });
  };
  const change = (task: string, more: Partial<SocietyRow>) => {
    all = all.map((one) => (one.id === task ? { ...one, ...more } : one));
    return {};
  };
  const open = ({ task, version }: SocietyOpen): SocietyView => {
    const found = of(task);
    const paused = found.standing === 'paused';
    return {
      task: { ...found, version: version ?? found.version },
      text: 'A calculator for the shell',
      agents: agents.slice(
        0,
        version === undefined ? found.agents : Math.min(found.agents, version),
      ),
      artifacts: [
        { id: 1, by: 2, name: 'Plan', kind: 'Integration_Plan', size: 1200 },
        { id: 2, by: 2, name: 'add', kind: 'Module_Spec', size: 300 },
      ],
      versions: found.version,
      ...(task === 'again' && { replays: 'calc' }),
      workspacePath: '/home/ada/calculator',
      ...(paused && {
        failure: {
          code: 'budget_exceeded',
          message: 'The budget is used up: tokens',
          hint: 'Give the task more, or end a part of it.',
          args: { which: 'tokens' },
        },
      }),
    };
  };
  return {
    'society.list': ({ removed }: { removed: boolean }) => ({
      tasks: all.filter(({ removedAt }) => (removedAt !== undefined) === removed),
    }),
    'society.teams': () => ({
      teams: [
        {
          name: 'dev-team',
          title: 'Developers',
          description: 'An architect and programmers.',
          roles: ['architect', 'programmer'],
        },
      ],
    }),
    'society.submit': ({ text }: { text: string }) => {
      all = [row('new', text, { standing: 'working', agents: 1 }), ...all];
      return { taskId: 'new', workspacePath: '/home/ada/new' };
    },
    'society.replay': ({ task }: SocietyReplay) => {
      const again = row('again', of(task).title, { standing: 'working', agents: 1 });
      all = [again, ...all];
      return { taskId: again.id, workspacePath: '/home/ada/again' };
    },
    'society.open': open,
    'society.messages': ({ person, agent: whose, limit = 100 }: SocietyMessageQuery) => {
      const found = said.filter(({ from, to }) => {
        const both = [from, to];
        const isOf = (id: number) =>
          both.some((one) => typeof one === 'object' && one.agent === id);
        return (!person || both.includes('user')) && (whose === undefined || isOf(whose));
      });
      return { messages: found.slice(-limit), more: found.length > limit };
    },
    'society.story': () => ({
      first: 0,
      entries: [
        { message: MESSAGES[1] },
        {
          said: {
            text: 'I write it.',
            calls: [
              {
                tool: 'write_file',
                arguments: '{"path":"add.sh","content":"echo"}',
                result: '{"ok":true,"change":"c1"}',
                isError: false,
                pictures: [],
              },
              {
                tool: 'run_command',
                arguments: '{"command":"sh test.sh"}',
                isError: false,
                pictures: [],
              },
            ],
          },
        },
        { summary: 'It wrote add.sh.' },
      ],
    }),
    'society.artifact': () => ({ text: '# Plan\n\nTwo modules.' }),
    'society.steps': ({ task, from }: SocietyStepQuery) => {
      const { version } = of(task);
      const steps = Array.from({ length: version - from }, (_, nth) => ({
        version: from + nth + 1,
        kind: ['heard', 'said', 'gave', 'rested'][nth % 4] ?? 'said',
        agent: 1 + (nth % 4),
        text: `step ${from + nth + 1}`,
        at: Date.now() - HOUR,
      }));
      return { steps, versions: version };
    },
    'society.post': () => ({}),
    'society.pause': ({ task }: SocietyRef) => change(task, { standing: 'paused' }),
    'society.resume': ({ task }: SocietyRef) => change(task, { standing: 'working' }),
    'society.stop': ({ task, agent: one }: { task: string; agent?: number }) =>
      one === undefined ? change(task, { standing: 'stopped' }) : {},
    'society.budget': () => ({}),
    'society.rename': ({ task, title }: { task: string; title: string }) => change(task, { title }),
    'society.export': () => ({ text: '# A calculator\n' }),
    'society.remove': ({ task }: SocietyRef) => change(task, { removedAt: Date.now() }),
    'society.restore': ({ task }: SocietyRef) => {
      all = all.map((one) => {
        if (one.id !== task) return one;
        const back = { ...one };
        delete back.removedAt;
        return back;
      });
      return {};
    },
  };
}
