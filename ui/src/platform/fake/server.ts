/** The owner itself: what it is, its settings, its walls. */

import type {
  Doctor,
  DoctorTier,
  Hello,
  ServerCheck,
  SettingsChange,
  SettingsView,
  SizeRow,
  TokenNew,
  TokenRef,
  TokenRow,
} from '@/generated/calls';
import { CallError } from '../transport';
import type { FakeHandlers, Scene } from '.';

const HELLO: Hello = {
  product: 'prompt-manager',
  version: '0.1.0',
  build: '0.1.0+20261122T074512',
  pid: 41812,
  home: '/home/lin/.prompt-manager',
  address: 'http://127.0.0.1:5621',
  isolation: 'full',
  language: 'zh-CN',
};

const DIAGNOSTICS = `Prompt Manager 0.1.0+20261122T074512
Debian GNU/Linux 12 (bookworm), linux 6.1.0-18-amd64 x86_64, 8 processors
language en, pid 41812

## Isolation

tier full

## Data

toolbox: 1284 files, 48213004 bytes
artifacts: 164 files, 22480213 bytes

## Crashes: 0

## Log

${'2026-11-22T07:45:12.104Z  WARN server::external: a server does not answer any more server=notes\n'.repeat(40)}`;

const FULL: DoctorTier = {
  tier: 'full',
  inUse: true,
  proved: true,
  text: 'Tools, scripts and commands run in this tier; it was proved by trying to break out.',
  checks: [
    { name: 'canary_read', ok: true, detail: 'without walls: reached, behind them: refused' },
    { name: 'canary_connect', ok: true, detail: 'without walls: reached, behind them: refused' },
    {
      name: 'command_canary_read',
      ok: true,
      detail: 'without walls: reached, behind them: refused',
    },
    {
      name: 'command_canary_connect',
      ok: true,
      detail: 'without walls: reached, behind them: refused',
    },
    { name: 'command_swept', ok: true, detail: '' },
  ],
  weaker: [],
};

const ONLY_REDUCED: DoctorTier = {
  ...FULL,
  tier: 'reduced',
  inUse: false,
  text: 'This tier can be had and was proved; it is not in use.',
  weaker: [
    'A command can read the command lines of other processes.',
    'A command can change the hooks and settings of git in its workspace.',
  ],
};

const DOCTOR: Doctor = {
  tier: 'full',
  checks: [
    { name: 'kernel', ok: true, detail: '6.12.48, Landlock ABI 6' },
    { name: 'bubblewrap', ok: true, detail: '/usr/bin/bwrap 0.11.0' },
    { name: 'user_namespaces', ok: true, detail: 'a namespace could be made' },
    { name: 'seccomp', ok: true, detail: 'filter of 86 calls' },
  ],
  tiers: [FULL, ONLY_REDUCED],
  advice: [],
};

const REDUCED: Doctor = {
  tier: 'reduced',
  checks: DOCTOR.checks.map((check) =>
    check.name === 'bubblewrap' ? { ...check, ok: false, detail: 'not found on the PATH' } : check,
  ),
  tiers: [
    {
      ...ONLY_REDUCED,
      inUse: true,
      text: 'Tools, scripts and commands run in this tier; it was proved by trying to break out.',
    },
  ],
  advice: [
    'Install bubblewrap, so that tools get namespaces of their own: sudo apt install bubblewrap',
  ],
};

const CHECK: ServerCheck = {
  ok: true,
  address: 'http://127.0.0.1:5621/mcp',
  tools: ['toolm', 'run_javascript'],
  milliseconds: 12,
};

const SIZES: SizeRow[] = [
  { kind: 'toolbox', bytes: 48_312_400, files: 1284 },
  { kind: 'artifacts', bytes: 21_930_112, files: 164 },
  { kind: 'records', bytes: 6_291_456, files: 3 },
  { kind: 'trash', bytes: 1_204_224, files: 9 },
  { kind: 'backups', bytes: 5_242_880, files: 2 },
  { kind: 'logs', bytes: 320_512, files: 14 },
  { kind: 'other', bytes: 18_204, files: 6 },
];

export default (scene: Scene): FakeHandlers => {
  let settings: SettingsView = {
    // Follows what the page shows, so that both languages can be looked at.
    language: document.documentElement.lang === 'en' ? 'en' : 'zh-CN',
    languageChosen: true,
    host: '127.0.0.1',
    port: 5621,
    openMcpOnLoopback: false,
    askInMcpClients: true,
    paused: false,
    favourites: scene === 'empty' ? [] : ['todolist', 'filesystem'],
    ...(scene === 'many' && {
      rulesError: {
        code: 'policy_rule_field',
        message: 'Rule no-deploys has a field colour, which there is not.',
        hint: 'Correct the field’s name, or remove it.',
        args: { rule: 'no-deploys', field: 'colour' },
      },
    }),
  };
  let tokens: TokenRow[] =
    scene === 'empty'
      ? []
      : [
          {
            name: 'claude-code',
            scope: {},
            createdAt: Date.now() - 9e6,
            actor: { kind: 'person', name: 'pm' },
          },
          {
            name: 'kiosk',
            scope: { tools: ['tool://todolist'], workspaces: [] },
            createdAt: Date.now() - 5e6,
            actor: { kind: 'person', name: 'pm' },
          },
        ];
  const seen =
    scene === 'empty'
      ? []
      : [
          { name: 'claude-code', at: Date.now() - 180_000 },
          { name: 'node', at: Date.now() - 9e6 },
        ];
  const sizes = scene === 'empty' ? SIZES.map((row) => ({ ...row, bytes: 0, files: 0 })) : SIZES;
  return {
    'server.hello': () => ({ ...HELLO, language: settings.language }),
    'server.token': () => ({ token: 'pm_4f1c9a7e2b8d40c6a3e5f7091b2d8c64' }),
    'token.list': () => ({ tokens, seen }),
    'token.new': ({ name, scope }: TokenNew) => {
      tokens = [
        ...tokens,
        { name, scope, createdAt: Date.now(), actor: { kind: 'person', name: 'pm' } },
      ];
      return { name, token: `pmt_${'4f1c9a7e'.repeat(8)}` };
    },
    'token.revoke': ({ name }: TokenRef) => {
      tokens = tokens.filter((token) => token.name !== name);
      return {};
    },
    'server.check': () => CHECK,
    'server.stop': () => ({}),
    'doctor.report': () => (scene === 'many' ? REDUCED : DOCTOR),
    'settings.show': () => settings,
    'settings.sizes': () => ({ sizes }),
    'server.diagnostics': () => ({ text: DIAGNOSTICS }),
    'home.backup': ({ path }: { path: string }) => {
      if (path.startsWith('/nowhere')) {
        throw new CallError({
          code: 'backup_io',
          message: `${path} cannot be read or written: No such file or directory`,
          hint: 'Check permissions and free space. The data home is as it was.',
        });
      }
      return { path, files: 4312, bytes: 812e6, packed: 655e6 };
    },
    'settings.change': ({ favourite, ...change }: SettingsChange) => {
      const others = settings.favourites.filter((name) => name !== favourite?.tool);
      const favourites = favourite?.on ? [...others, favourite.tool] : others;
      return (settings = { ...settings, ...change, favourites });
    },
  };
};
