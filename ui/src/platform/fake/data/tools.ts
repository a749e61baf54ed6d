/** The toolbox of the fake owner. */

import type {
  FileEntry,
  FileView,
  Grants,
  ToolDetail,
  ToolRow,
  ToolState,
  VariableRow,
} from '@/generated/calls';
import { SCHEMAS } from './schemas';

const NOON = Date.UTC(2026, 10, 20, 12);

function row(
  name: string,
  title: string,
  description: string,
  more: Partial<ToolRow> = {},
): ToolRow {
  return {
    name,
    title,
    version: '1.0.0',
    description,
    author: 'Lin Wei',
    tags: [],
    builtIn: false,
    state: 'ready',
    ...more,
  };
}

export const TOOLS: readonly ToolRow[] = [
  row('filesystem', '文件系统', '在允许的目录内读写、查找和整理文件。', {
    version: '2.1.0',
    author: 'Prompt Manager',
    tags: ['files', 'search'],
    builtIn: true,
  }),
  row('todolist', '待办清单', '记录、排序和完成待办事项。', {
    version: '1.4.2',
    author: 'Prompt Manager',
    tags: ['tasks'],
    builtIn: true,
  }),
  row('weather', 'Weather', 'Current weather and a five-day forecast for a place.', {
    version: '0.9.1',
    tags: ['network', 'api'],
    state: 'needs_configuration',
  }),
  row('chart-maker', 'Chart maker', 'Draws bar, line and pie charts from rows of numbers.', {
    version: '3.0.0-beta.2',
    author: 'Ana Sousa',
    tags: ['pictures', 'data'],
    state: 'dependencies_missing',
    problem: {
      code: 'dependency_missing',
      message: 'npm packages that the tool needs are missing: d3-shape@^3.2.0, dayjs@1.11.x',
      hint: "A person can put them into the tool's node_modules.",
      args: { reason: 'd3-shape@^3.2.0, dayjs@1.11.x', tool: 'chart-maker' },
    },
  }),
  row('csv-clean', 'CSV cleaner', 'Finds and mends broken rows, encodings and dates.', {
    version: '1.2.0',
    tags: ['data', 'files'],
  }),
  row('mail-merge', 'Mail merge', '', {
    version: '',
    author: '',
    state: 'broken',
    problem: {
      code: 'tool_broken',
      message: 'mail-merge.tool.js cannot be read: SyntaxError: unexpected token (14:9)',
      hint: 'Mend line 14, then scan the toolbox again.',
      args: { line: 14, column: 9 },
    },
  }),
  row('image-resize', 'Image resize', 'Scales and crops pictures; keeps or drops metadata.', {
    version: '1.0.3',
    author: 'Ana Sousa',
    tags: ['pictures', 'files'],
  }),
  row('unit-convert', 'Unit converter', 'Length, mass, temperature, data sizes and time.', {
    version: '5.11.0',
    tags: ['data'],
  }),
];

const STATES: readonly ToolState[] = ['ready', 'needs_configuration', 'broken', 'describing'];
const WORDS = ['alpha', 'report', 'sync', 'fetch', 'merge', 'index', 'label', 'trace'];

/** A toolbox that somebody collected for years. */
export function manyTools(): ToolRow[] {
  return Array.from({ length: 1000 }, (_, index) => {
    const word = WORDS[index % WORDS.length] ?? '';
    const state = index % 9 === 0 ? (STATES[(index / 9) % STATES.length] ?? 'ready') : 'ready';
    return row(
      `${word}-${String(index).padStart(4, '0')}`,
      `${word} ${index}`,
      `Does ${word} for project ${index % 40}, on demand and again when asked.`,
      {
        version: `${index % 5}.${index % 12}.${index % 30}`,
        author: `Author ${index % 12}`,
        tags: [`group-${index % 20}`, word],
        state,
        builtIn: index % 50 === 0,
        ...(state === 'broken' && {
          problem: { code: 'tool_broken', message: 'It has no export default.', args: {} },
        }),
      },
    );
  });
}

export function detailOf(tool: ToolRow): ToolDetail {
  const broken = tool.state === 'broken';
  return {
    ...tool,
    folder: `~/.prompt-manager/toolbox/${tool.name}`,
    parameters: broken
      ? null
      : (SCHEMAS[tool.name] ?? {
          type: 'object',
          properties: {
            action: { type: 'string', enum: ['list', 'read', 'search'], description: 'What to do' },
            path: { type: 'string', description: 'Where' },
            limit: { type: 'integer', minimum: 1, maximum: 500, default: 50 },
          },
          required: ['action'],
        }),
    environment: broken ? null : { type: 'object', properties: {}, required: [] },
    runtime: broken ? null : { maxMemory: 512, maxExecutionTime: 30 },
    dependencies:
      tool.name === 'chart-maker'
        ? { 'd3-shape': '^3.2.0', dayjs: '1.11.x', 'd3-scale': '^4.0.2', 'palette.json': 'local' }
        : {},
    warnings:
      tool.name === 'csv-clean'
        ? [
            {
              code: 'metadata_version_format',
              message: 'The version 1.2 is not a semantic version',
              hint: 'Write it as major.minor.patch, for example 1.0.0.',
            },
          ]
        : [],
  };
}

export function manualOf(tool: ToolRow): string {
  return `# ${tool.title}

## 📖 Description

${tool.description} It answers in one call and keeps nothing between calls.

## 🎯 When to use it

- to look for something by name or by content
- to tidy up after a longer task
- **not** for secrets: what it reads is written into the log

## ⚙️ Parameters

| Name | Type | Required | Default | Description |
|------|------|----------|---------|-------------|
| \`action\` | string | yes | | \`list\`, \`read\` or \`search\` |
| \`path\` | string | no | \`.\` | Where, relative to the first allowed folder |
| \`limit\` | integer | no | 50 | At most so many rows |

## 💡 Example

\`\`\`yaml
tool: tool://${tool.name}
mode: execute
parameters:
  action: search
  path: notes
  limit: 10
\`\`\`

## ⚠️ Common errors

> **PERMISSION_DENIED** – the folder was not granted. Grant it under Configure.

## 🚧 Limits

Files over 10 MB are refused. Links are not followed.
`;
}

function variable(name: string, description: string, more: Partial<VariableRow>): VariableRow {
  return {
    name,
    description,
    schema: { type: 'string' },
    declared: true,
    required: false,
    secret: false,
    source: 'unset',
    value: '',
    ...more,
  };
}

export const SECRET = 'sk-live-4f9a27c1d0';

export function variablesOf(tool: string): VariableRow[] {
  if (tool !== 'weather') return [];
  return [
    variable('API_KEY', 'Key of the weather service. One is free for 1,000 calls a day.', {
      required: true,
      secret: true,
      source: 'file',
      value: '******',
    }),
    variable('BASE_URL', 'Where the service is.', {
      source: 'default',
      value: 'https://api.weather.example/v2',
      default: 'https://api.weather.example/v2',
    }),
    variable('HOME_PLACE', 'The place that is meant when none is given.', { required: true }),
    variable('UNITS', 'Units of the answers.', {
      schema: { type: 'string', enum: ['metric', 'imperial'] },
      source: 'default',
      value: 'metric',
      default: 'metric',
    }),
    variable('TIMEOUT_SECONDS', 'How long one request may take.', {
      schema: { type: 'integer', minimum: 1, maximum: 60 },
      source: 'file',
      value: '90',
      default: '10',
      problem: { code: 'configure_invalid', message: 'At most 60', args: {} },
    }),
    variable('CACHE', 'Keep answers for ten minutes.', {
      schema: { type: 'boolean' },
      source: 'default',
      value: 'true',
      default: 'true',
    }),
    variable('HTTP_PROXY', '', {
      declared: false,
      schema: {},
      source: 'file',
      value: 'http://10.0.0.2:3128',
    }),
  ];
}

export function grantsOf(tool: ToolRow): Grants {
  const own = `/home/lin/.prompt-manager/toolbox/${tool.name}/data`;
  if (tool.builtIn) {
    return {
      tool: tool.name,
      requested: [own],
      granted: [],
      effective: [own],
      network: { requested: [], granted: [], effective: [] },
      processes: { requested: false, granted: false, effective: false },
    };
  }
  return {
    tool: tool.name,
    requested: [own, '/home/lin/Pictures/2026'],
    granted: ['/home/lin/old-project'],
    effective: [own],
    network: {
      requested: ['api.forecast.example:443', 'localhost:8090'],
      granted: ['localhost:8090', 'old.example'],
      effective: ['localhost:8090'],
    },
    processes: { requested: true, granted: false, effective: false },
  };
}

function entry(name: string, kind: FileEntry['kind'], size = 0, days = 0): FileEntry {
  return { name, kind, size, modified: NOON - days * 86_400_000 };
}

/** Folder -> what lies in it; the same for every tool. */
export function filesOf(tool: string): Record<string, FileEntry[]> {
  return {
    '': [
      entry('data', 'directory', 0, 1),
      entry('logs', 'directory', 0, 0),
      entry('node_modules', 'directory', 0, 40),
      entry('.env', 'file', 214, 2),
      entry('README.md', 'file', 1840, 90),
      entry('current', 'link', 0, 3),
      entry('icon.png', 'file', 4210, 90),
      entry('package.json', 'file', 412, 40),
      entry(`${tool}.tool.js`, 'file', 18_320, 5),
    ],
    data: [entry('cache', 'directory', 0, 1), entry('storage.json', 'file', 96, 1)],
    'data/cache': [],
    logs: [entry('run.log', 'file', 2_480_000, 0)],
    node_modules: [],
  };
}

const TEXTS: Record<string, string> = {
  '.env': '# Configuration\n\nAPI_KEY=******\nTIMEOUT_SECONDS=90\n',
  'README.md': '# Read me\n\nA tool. Its manual says what it does.\n',
  'package.json': '{\n  "name": "@prompt-manager/tool",\n  "type": "module"\n}\n',
  'data/storage.json': '{ "last": "Lisbon", "calls": 12 }\n',
};

export function fileOf(path: string, found: FileEntry): FileView {
  const view = { path, size: found.size, modified: found.modified };
  if (path.endsWith('.png')) return { ...view, truncated: false, masked: false };
  const text =
    TEXTS[path] ??
    (path.endsWith('.log')
      ? '[2026-11-20T12:00:00.000Z] [INFO] hello\n'.repeat(400)
      : "export default {\n  getMetadata() {\n    return { name: 'Tool', version: '1.0.0' };\n  },\n\n  async execute({ action }) {\n    return { action };\n  },\n};\n");
  return { ...view, text, truncated: path.endsWith('.log'), masked: path === '.env' };
}
