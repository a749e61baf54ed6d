/** The fake toolbox answers; what is changed stays changed until the page is loaded again. */

import type {
  Configured,
  FileList,
  FileRef,
  FileView,
  GrantChange,
  Grants,
  SecretsMoved,
  ToolConfigure,
  ToolList,
  ToolNetworkChange,
  ToolProcessesChange,
  ToolRef,
  ToolScriptChange,
  ToolRow,
  ToolValidate,
  VariableRef,
  VariableRow,
  Variables,
} from '@/generated/calls';
import { CallError } from '../transport';
import { checksOf } from './data/checks';
import { advisoriesOf, dependenciesOf, installing } from './data/dependencies';
import { lifecycle } from './data/lifecycle';
import {
  detailOf,
  fileOf,
  filesOf,
  grantsOf,
  manualOf,
  manyTools,
  SECRET,
  TOOLS,
  variablesOf,
} from './data/tools';
import type { FakeHandlers, Scene } from '.';

export default function tools(scene: Scene): FakeHandlers {
  const rows = scene === 'empty' ? [] : scene === 'many' ? manyTools() : [...TOOLS];
  const variables = new Map<string, VariableRow[]>();
  const grants = new Map<string, Grants>();
  // A new list each time, as an owner sends it.
  const list = (): ToolList => ({ tools: [...rows] });

  function find(name: string): ToolRow {
    const found = rows.find((row) => row.name === name);
    if (!found)
      throw new CallError({ code: 'tool_not_found', message: `There is no tool ${name}` });
    return found;
  }

  function variablesHeld(name: string): VariableRow[] {
    const held = variables.get(name) ?? variablesOf(name);
    variables.set(name, held);
    return held;
  }

  function grantsHeld(name: string): Grants {
    const held = grants.get(name) ?? grantsOf(find(name));
    grants.set(name, held);
    return held;
  }

  const scripts = new Set<string>();
  return {
    ...installing,
    ...lifecycle(rows),
    'tool.list': list,
    'tool.rescan': list,
    'tool.show': ({ tool }: ToolRef) => detailOf(find(tool)),
    'tool.advisories': ({ tool }: ToolRef) => advisoriesOf(find(tool)),
    'tool.dependencies': ({ tool }: ToolRef) => {
      const found = dependenciesOf(find(tool));
      const packages = found.packages.map((row) => ({
        ...row,
        scriptAllowed: scripts.has(`${tool} ${row.name}@${row.locked}`),
      }));
      return { ...found, packages };
    },
    'tool.script': ({ tool, package: name, allowed }: ToolScriptChange) => {
      if (allowed) scripts.add(`${tool} ${name}`);
      else scripts.delete(`${tool} ${name}`);
      return {};
    },
    'tool.validate': ({ tool, level }: ToolValidate) => checksOf(find(tool), level ?? 'full'),
    'tool.manual': ({ tool }: ToolRef) => ({ text: manualOf(find(tool)) }),
    'tool.variables': ({ tool }: ToolRef): Variables => ({
      state: stateOf(variablesHeld(tool)),
      file: `~/.prompt-manager/toolbox/${tool}/.env`,
      variables: variablesHeld(tool),
      secretsGo: 'keychain',
    }),
    'tool.configure': (change: ToolConfigure): Configured => {
      variables.set(change.tool, configured(variablesHeld(change.tool), change));
      return { text: '', warnings: [] };
    },
    'tool.move_secrets': ({ tool }: ToolRef): SecretsMoved => {
      const plain = (row: VariableRow) => row.secret && row.source === 'file' && !row.kept;
      const names = variablesHeld(tool)
        .filter(plain)
        .map(({ name }) => name);
      const moved = variablesHeld(tool).map((row): VariableRow =>
        plain(row) ? { ...row, kept: 'keychain' } : row,
      );
      variables.set(tool, moved);
      return { names };
    },
    'tool.secret': ({ tool, name }: VariableRef) => {
      const held = variablesHeld(tool).find((row) => row.name === name && row.value !== '');
      return { text: held ? SECRET : '' };
    },
    'tool.grants': ({ tool }: ToolRef) => grantsHeld(tool),
    'tool.grant': ({ tool, directory }: GrantChange): Grants => {
      if (!/^[/~]/.test(directory)) {
        throw new CallError({
          code: 'directory_relative',
          message: `The directory ${directory} is not an absolute path`,
          hint: 'Begin with / or ~/.',
        });
      }
      const held = grantsHeld(tool);
      return keep({ ...held, granted: [...new Set([...held.granted, directory])] });
    },
    'tool.revoke': ({ tool, directory }: GrantChange): Grants => {
      const held = grantsHeld(tool);
      return keep({ ...held, granted: held.granted.filter((one) => one !== directory) });
    },
    'tool.network': ({ tool, grant = [], revoke = [] }: ToolNetworkChange): Grants => {
      const held = grantsHeld(tool);
      const left = held.network.granted.filter((host) => !revoke.includes(host));
      const granted = [...new Set([...left, ...grant])];
      return keep({ ...held, network: { ...held.network, granted } });
    },
    'tool.processes': ({ tool, allow }: ToolProcessesChange): Grants => {
      const held = grantsHeld(tool);
      return keep({ ...held, processes: { ...held.processes, granted: allow } });
    },
    'tool.files': ({ tool, path }: FileRef): FileList => {
      const entries = filesOf(tool)[path];
      if (!entries) throw new CallError({ code: 'file_not_found', message: `No folder ${path}` });
      return { path, entries, truncated: false };
    },
    'tool.file': ({ tool, path }: FileRef): FileView => {
      const at = path.lastIndexOf('/');
      const folder = filesOf(tool)[path.slice(0, Math.max(at, 0))] ?? [];
      const found = folder.find((one) => one.name === path.slice(at + 1));
      if (!found) throw new CallError({ code: 'file_not_found', message: `No file ${path}` });
      return fileOf(path, found);
    },
  };

  /** The tool's own data folder is always effective; the others need a grant. */
  function keep(next: Grants): Grants {
    const effective = next.requested.filter(
      (path) => path.endsWith('/data') || next.granted.includes(path),
    );
    const { network, processes } = next;
    const every = network.requested.includes('*');
    const reached = network.granted.filter((host) => every || network.requested.includes(host));
    const held = {
      ...next,
      effective,
      network: { ...network, effective: reached },
      processes: { ...processes, effective: processes.requested && processes.granted },
    };
    grants.set(next.tool, held);
    return held;
  }
}

function configured(rows: VariableRow[], change: ToolConfigure): VariableRow[] {
  const removed = new Set(change.remove);
  const known = new Set(rows.map(({ name }) => name));
  const next = rows.flatMap((row): VariableRow[] => {
    if (removed.has(row.name)) return row.declared ? [unset(row)] : [];
    if (!Object.hasOwn(change.values, row.name)) return [row];
    return [{ ...rest(row), source: 'file', value: shown(row, change.values[row.name]) }];
  });
  const added = Object.keys(change.values).filter((name) => !known.has(name));
  return [
    ...next,
    ...added.map((name): VariableRow => {
      const secret = /(KEY|TOKEN|SECRET|PASSWORD)$/.test(name);
      const row = { name, description: '', schema: {}, declared: false, required: false, secret };
      return { ...row, source: 'file', value: shown(row, change.values[name]) };
    }),
  ];
}

function rest(row: VariableRow): VariableRow {
  const whole = { ...row };
  delete whole.problem;
  return whole;
}

function unset(row: VariableRow): VariableRow {
  const source = row.default === undefined ? 'unset' : 'default';
  return { ...rest(row), source, value: row.default ?? '' };
}

function shown({ secret }: { secret: boolean }, value: unknown): string {
  return secret ? '******' : String(value);
}

function stateOf(rows: readonly VariableRow[]): Variables['state'] {
  const required = rows.filter((row) => row.required);
  if (required.every((row) => row.value !== '')) return 'configured';
  return rows.some((row) => row.source === 'file') ? 'partly' : 'unconfigured';
}
