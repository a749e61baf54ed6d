/** Declared dependencies and which of them are not there, as far as the tool's state says. */

import type { ToolDetail } from '@/generated/calls';

export interface Dependency {
  name: string;
  range: string;
  /** A file of the tool's own folder, not a package. */
  local: boolean;
  missing: boolean;
}

export function dependenciesOf(
  tool: Pick<ToolDetail, 'dependencies' | 'problem' | 'state'>,
): Dependency[] {
  const missing = tool.state === 'dependencies_missing' ? missingOf(tool.problem?.args) : '';
  return Object.entries(tool.dependencies)
    .map(([name, range]) => ({
      name,
      range,
      local: range === 'local',
      missing: missing.includes(`, ${name}@${range}, `),
    }))
    .sort((a, b) => Number(b.missing) - Number(a.missing) || (a.name < b.name ? -1 : 1));
}

/** `reason` is `a@^1, b@2`; a range may hold a comma itself, so it is searched and not split. */
function missingOf(args: Record<string, unknown> | undefined): string {
  const reason = args?.['reason'];
  return typeof reason === 'string' ? `, ${reason}, ` : '';
}

/** What a person runs in a terminal to put the packages there by hand. */
export function installCommand(folder: string): string {
  const plain = /^~?[\w./-]+$/.test(folder);
  // Within quotes a shell leaves `~` as it is, but not `$HOME`.
  const escaped = folder.replace(/(["\\$`])/g, '\\$1').replace(/^~(?=\/)/, '$HOME');
  return `cd ${plain ? folder : `"${escaped}"`} && npm install --ignore-scripts`;
}
