/** The fake workspaces answer; what is deleted or answered stays so until the page is loaded again. */

import type {
  ApprovalResolve,
  ApprovalRow,
  ChangeRow,
  CommandRow,
  GrantRef,
  GrantRow,
  RunRef,
  WorkspaceBind,
  WorkspaceEntry,
  WorkspaceFolder,
  WorkspaceIsolation,
  WorkspaceNetworkChange,
  WorkspacePath,
  WorkspaceRead,
  WorkspaceRef,
  WorkspaceRow,
  WorkspaceUndelete,
} from '@/generated/calls';
import { CallError } from '../transport';
import type { FakeHandlers, Scene } from '.';

const ME = { kind: 'person', name: 'web' } as const;
const AGENT = { kind: 'mcp_client', name: 'claude-code' } as const;
const MINUTE = 60_000;

const TEXTS: Record<string, string> = {
  'README.md': '# Site\n\nA small site.\n',
  'src/main.js': 'export const answer = 42;\n',
  'src/pages/index.js': 'export default () => "Hello";\n',
};

/** Entries of every folder, from the files' paths. */
function entriesOf(paths: readonly string[], folder: string): WorkspaceEntry[] {
  const within = folder === '' ? '' : `${folder}/`;
  const names = new Map<string, WorkspaceEntry>();
  for (const path of paths.filter((one) => one.startsWith(within))) {
    const [name = '', ...rest] = path.slice(within.length).split('/');
    const type = rest.length > 0 ? 'directory' : 'file';
    names.set(name, { name, type, size: type === 'file' ? (TEXTS[path]?.length ?? 9) : 0 });
  }
  return [...names.values()];
}

function commandsAt(now: number): CommandRow[] {
  const row = (run: string, command: string, more: Partial<CommandRow>): CommandRow => ({
    run,
    command,
    state: 'exited',
    startedAt: now - Number(run) * 7 * MINUTE,
    durationMs: 840,
    exitCode: 0,
    tier: 'full',
    actor: AGENT,
    ...more,
  });
  return [
    row('1', 'npm test', {}),
    row('2', 'cargo build', { exitCode: 101 }),
    {
      run: '3',
      command: 'sudo ls',
      state: 'refused',
      startedAt: now - 30 * MINUTE,
      rule: 'privilege',
      error: { code: 'command_blocked', message: 'Dangerous command blocked: sudo' },
      actor: AGENT,
    },
  ];
}

export default function workspaces(scene: Scene): FakeHandlers {
  const now = Date.now();
  const empty = scene === 'empty';
  const rows: WorkspaceRow[] = empty
    ? []
    : ['site', 'weekly-report'].map((taskId) => ({
        taskId,
        workspacePath: `/home/ada/${taskId}`,
        createdAt: now - 90 * MINUTE,
      }));
  const many = Array.from({ length: 20_000 }, (_, index) => `many/file-${index}.txt`);
  let paths = [...Object.keys(TEXTS), ...(scene === 'many' ? many : [])];
  let trash: ChangeRow[] = [];
  let grants: GrantRow[] = [
    {
      subject: 'task:site',
      kind: 'command',
      value: 'rm -rf dist',
      scope: 'task',
      actor: ME,
      at: now,
    },
  ];
  let approvals: ApprovalRow[] = empty
    ? []
    : [
        {
          id: 'ask-1',
          subject: 'task:site',
          kind: 'command',
          value: 'mkdir -m 777 box',
          detail: { reason: 'Everybody could write into it.' },
          actor: AGENT,
          state: 'waiting',
          createdAt: now,
        },
      ];
  const change = (op: string, path: string): ChangeRow => ({
    id: `${op}-${path}`,
    op,
    kind: 'file',
    path,
    sizeBefore: 9,
    at: now,
    actor: AGENT,
    ...(op === 'delete' ? { trashed: 9 } : { sizeAfter: 12 }),
  });
  let isolation: WorkspaceIsolation = {
    tier: 'full',
    weaker: [],
    network: 'off',
    hosts: [],
    unsandboxed: false,
    available: true,
  };

  return {
    'workspace.list': () => ({ workspaces: rows }),
    'workspace.bind': ({ taskId, workspacePath }: WorkspaceBind) => {
      const row = { taskId, workspacePath, createdAt: now };
      rows.push(row);
      return row;
    },
    'workspace.unbind': ({ taskId }: WorkspaceRef) => {
      rows.splice(
        rows.findIndex((row) => row.taskId === taskId),
        1,
      );
      return { removed: true };
    },
    'workspace.isolation': () => isolation,
    'workspace.network': ({ mode, hosts = [] }: WorkspaceNetworkChange) => {
      if (mode !== undefined) {
        isolation = { ...isolation, network: mode, hosts: mode === 'hosts' ? hosts : [] };
      }
      return { mode: isolation.network, hosts: isolation.hosts };
    },
    'workspace.ls': ({ path = '' }: WorkspaceFolder) => ({ files: entriesOf(paths, path) }),
    'workspace.read': ({ path }: WorkspaceRead) => {
      if (!paths.includes(path)) throw new CallError({ code: 'file_not_found', message: path });
      const content = TEXTS[path] ?? 'one\ntwo\n';
      return { content, size: content.length, encoding: 'utf-8' };
    },
    'workspace.delete': ({ path }: WorkspacePath) => {
      paths = paths.filter((one) => one !== path);
      const made = change('delete', path);
      trash = [made, ...trash];
      return { ok: true, change: made.id };
    },
    'workspace.undelete': ({ change: id }: WorkspaceUndelete) => {
      const found = trash.find((one) => one.id === id);
      trash = trash.filter((one) => one !== found);
      if (found) paths.push(found.path);
      return { ok: true, change: `undelete-${id}` };
    },
    'workspace.trash': () => ({ changes: trash, total: trash.length }),
    'workspace.empty_trash': () => ({ removed: trash.splice(0).length }),
    'workspace.history': () => ({ changes: [change('write', 'README.md')], total: 1 }),
    'workspace.diff': () => ({
      oldPath: 'README.md',
      newPath: 'README.md',
      text: '--- README.md\n+++ README.md\n@@ -1,2 +1,2 @@\n # Site\n-old\n+new\n',
      truncated: false,
    }),
    'workspace.restore': () => ({ ok: true, change: 'restored' }),
    'workspace.commands': () => ({ commands: empty ? [] : commandsAt(now), more: false }),
    'workspace.command': ({ run }: RunRef) => ({
      ...commandsAt(now).find((one) => one.run === run),
      stdout: 'all tests pass\n',
      stderr: '',
    }),
    'policy.check': ({ command }: { command: string }) => {
      const blocked = /\bsudo\b/.test(command);
      return { decision: blocked ? 'block' : 'allow', blocked, reason: blocked ? 'sudo' : '' };
    },
    'terminal.list': () => ({ terminals: [] }),
    'grant.list': ({ subject }: { subject?: string }) => {
      const own = grants.filter((one) => subject === undefined || one.subject === subject);
      return { grants: own, total: own.length };
    },
    'grant.revoke': ({ subject, kind, value }: GrantRef) => {
      grants = grants.filter(
        (one) => one.subject !== subject || one.kind !== kind || one.value !== value,
      );
      return {};
    },
    'approval.list': () => ({ approvals, total: approvals.length }),
    'approval.resolve': ({ id }: ApprovalResolve) => {
      const found = approvals.find((one) => one.id === id);
      if (!found) throw new CallError({ code: 'already_resolved', message: 'Answered already' });
      approvals = approvals.filter((one) => one !== found);
      return { ...found, state: 'allowed_once' };
    },
  };
}
