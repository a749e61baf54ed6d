/** Tools of the fake toolbox come, change and go. */

import type {
  RemovedTool,
  RemovedToolRef,
  ToolInstall,
  ToolPreview,
  ToolNew,
  ToolRef,
  ToolRemove,
  ToolRow,
  ToolShipped,
  ToolSource,
  ToolVersion,
  ToolVersionRef,
} from '@/generated/calls';
import { CallError } from '../../transport';
import type { FakeHandlers } from '..';

const NOON = Date.UTC(2026, 10, 20, 12);

/** `left`: a removed tool whose data stayed. */
function previewOf(source: string, there?: ToolRow, left?: ToolRow): ToolPreview {
  const known = there ?? left;
  const asks = (kind: 'network' | 'directory' | 'processes', value: string, granted: boolean) => ({
    kind,
    value,
    granted,
    added: !granted,
  });
  return {
    source,
    kind: source.startsWith('npm:') ? 'npm' : 'archive',
    digest: 'd1',
    tool: known?.name ?? 'translate',
    title: known?.title ?? 'Translate',
    version: there ? '9.0.0' : '1.2.0',
    description: known?.description ?? 'Translates a text, or a file of notes.',
    author: 'Ada',
    files: 7,
    bytes: 48_200,
    leftOut: ['node_modules'],
    ...(there && { installed: { version: there.version, same: false } }),
    inherits: left ? ['.env', 'data'] : [],
    permissions: [
      asks('directory', '/home/ada/notes', false),
      asks('network', 'api.example.com', there !== undefined),
      asks('processes', '', false),
    ],
    secrets: ['TRANSLATE_API_KEY'],
    node: false,
    python: false,
    dependencies: [{ name: 'franc', after: '^6.2.0', ...(there && { before: '^6.1.0' }) }],
    changes: there
      ? [
          { path: `${there.name}.tool.js`, what: 'changed' },
          { path: 'lib/detect.js', what: 'added' },
        ]
      : [],
    changesTotal: there ? 2 : 0,
    warnings: [],
  };
}

function shippedOf(tool: string, builtIn: boolean): ToolShipped {
  return { tool, standing: builtIn ? 'built_in' : 'own', edits: [] };
}

export function lifecycle(rows: ToolRow[]): FakeHandlers {
  const kept = new Map<string, ToolVersion[]>();
  const trash: { row: ToolRow; about: RemovedTool }[] = [];
  const at = (tool: string) => rows.findIndex((row) => row.name === tool);

  function put(row: ToolRow, version: string) {
    const id = `${row.version}-20261120`;
    const versions = kept.get(row.name) ?? [];
    kept.set(row.name, [{ id, version: row.version, at: NOON }, ...versions]);
    rows[at(row.name)] = { ...row, version };
  }

  return {
    'tool.preview': ({ source, tool }: ToolSource) => {
      if (source?.includes('nowhere')) {
        throw new CallError({
          code: 'tool_source_missing',
          message: `There is nothing at ${source}`,
          hint: 'Check the path; a package is written npm:NAME.',
        });
      }
      const left = trash.find(({ about }) => about.dataStayed && source?.includes(about.tool));
      return previewOf(source ?? 'npm:translate', rows[at(tool ?? 'translate')], left?.row);
    },
    'tool.install': ({ tool, source }: ToolInstall) => {
      const there = rows[at(tool)];
      const { version, title, description, author } = previewOf(source, there);
      if (there) put(there, version);
      else {
        rows.push({
          name: tool,
          title,
          version,
          description,
          author,
          tags: [],
          builtIn: false,
          state: 'needs_configuration',
        });
      }
      return { run: 'r1', tool, version, ...(there && { before: there.version }) };
    },
    'tool.versions': ({ tool }: ToolRef) => ({
      source: `/home/ada/Downloads/${tool}.zip`,
      versions: kept.get(tool) ?? [{ id: '0.9.0-20261101', version: '0.9.0', at: NOON }],
    }),
    'tool.rollback': ({ tool, id }: ToolVersionRef) => {
      const version = id.replace(/-\d+$/, '');
      const there = rows[at(tool)];
      if (there) put(there, version);
      return { tool, version };
    },
    'tool.remove': ({ tool, keepData }: ToolRemove) => {
      const [row] = rows.splice(at(tool), 1);
      const id = `${tool}-20261120`;
      const about = { id, tool, version: row?.version ?? '', at: NOON, dataStayed: !!keepData };
      if (row) trash.unshift({ row, about });
      return { id };
    },
    'tool.removed': () => ({ tools: trash.map(({ about }) => about) }),
    'tool.restore': ({ id }: RemovedToolRef) => {
      const found = trash.findIndex(({ about }) => about.id === id);
      const [one] = trash.splice(found, 1);
      if (one) rows.push(one.row);
      return { tool: one?.row.name ?? '' };
    },
    'tool.shipped': ({ tool }: ToolRef) => shippedOf(tool, rows[at(tool)]?.builtIn ?? false),
    'tool.migration': () => ({ tools: [], backup: '/home/ada/backups/old-layout' }),
    'tool.new': ({ tool }: ToolNew) => ({ tool, folder: `/home/ada/toolbox/${tool}` }),
  };
}
