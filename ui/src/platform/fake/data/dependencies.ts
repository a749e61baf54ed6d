/** Packages of the fake toolbox: a tool whose packages are missing installs them in three seconds. */

import type {
  Advisories,
  DependencyRow,
  NpmInstall,
  NpmInstalled,
  PackageRow,
  ToolDependencies,
  ToolRow,
} from '@/generated/calls';
import { CallError } from '../../transport';
import { stops } from './stops';

const installed = new Set<string>();
const STEPS = 12;
const STEP_MS = 250;

function pack(place: string, locked: string, more: Partial<PackageRow> = {}): PackageRow {
  const name = place.split('/node_modules/').at(-1) ?? place;
  return {
    place: `node_modules/${place}`,
    name,
    locked,
    installed: locked,
    elsewhere: false,
    license: 'MIT',
    integrity: 'sha512-zg5tqSLHGJRbXxNmmPZ4zPvLpXvpEzsE1kR6w6c=',
    size: 4000 + locked.length * 7919,
    script: false,
    scriptAllowed: false,
    ...more,
  };
}

const PACKAGES: readonly PackageRow[] = [
  pack('d3-shape', '3.2.0', { license: 'ISC' }),
  pack('dayjs', '1.11.19', { size: 680_000 }),
  pack('request', '2.88.2', { deprecated: 'request has been deprecated', license: 'Apache-2.0' }),
  pack('sharp', '0.34.5', { script: true, size: 12_400_000, license: 'Apache-2.0' }),
  pack('d3-path', '3.1.0', { license: 'ISC' }),
  pack('request/node_modules/qs', '6.5.3', { license: 'BSD-3-Clause' }),
  ...Array.from({ length: 42 }, (_, index) => pack(`part-${index}`, `1.${index}.0`)),
];

export function dependenciesOf(tool: ToolRow): ToolDependencies {
  const missing = tool.state === 'dependencies_missing' && !installed.has(tool.name);
  if (tool.builtIn) {
    return { tool: tool.name, declared: [], packages: [], locked: false, settled: true };
  }
  const packages = PACKAGES.map((one) => (missing ? gone(one) : one));
  const row = (name: string, range: string, more: Partial<DependencyRow> = {}): DependencyRow => {
    const found = packages.find(({ place }) => place === `node_modules/${name}`);
    return {
      name,
      range,
      from: 'npm',
      byTool: true,
      there: !missing,
      ...(found && { package: found }),
      ...more,
    };
  };
  return {
    tool: tool.name,
    declared: [
      row('./palette.json', '', { from: 'local', there: true }),
      row('d3-shape', '^3.2.0'),
      row('dayjs', '1.11.x'),
      row('git', '>=2.30.0', { from: 'command', there: true }),
      row('request', '^2.88.0', { byTool: false }),
      row('sharp', '>=0.33.0 <1'),
    ],
    packages,
    locked: true,
    settled: !missing,
  };
}

export function advisoriesOf(tool: ToolRow): Advisories {
  const told = !tool.builtIn && dependenciesOf(tool).settled;
  const advisories = [
    {
      package: 'qs',
      versions: ['6.5.3'],
      severity: 'high',
      title: 'Prototype pollution by a crafted query',
      url: 'https://example.org/advisories/1',
    },
  ];
  return { told, advisories: told ? advisories : [] };
}

function gone(one: PackageRow): PackageRow {
  const rest = { ...one };
  delete rest.installed;
  return rest;
}

export const installing = {
  'npm.install': async ({
    tool = '',
    run = '',
  }: NpmInstall & { tool?: string }): Promise<NpmInstalled> => {
    let cancelled = false;
    stops.set(run, () => (cancelled = true));
    for (let step = 0; step < STEPS && !cancelled; step += 1) {
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
    if (cancelled) throw new CallError({ code: 'cancelled', message: 'It was cancelled.' });
    installed.add(tool);
    return {
      run,
      changed: true,
      packages: PACKAGES.length,
      fetched: 31,
      bytes: 9_120_000,
      scripts: ['sharp@0.34.5'],
      scriptsRun: [],
      deprecated: [],
      skipped: [],
      durationMs: STEPS * STEP_MS,
    };
  },
};
