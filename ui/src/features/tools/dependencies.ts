/** What of a tool's packages is its own and what came with it. */

import type { PackageRow, ToolDependencies } from '@/generated/calls';

/** Packages that nobody declared, by where they lie. */
export function transitive({ declared, packages }: ToolDependencies): PackageRow[] {
  const own = new Set(declared.flatMap((row) => (row.package ? [row.package.place] : [])));
  return packages.filter(({ place }) => !own.has(place));
}

/** Bytes of everything that lies there, as far as it is known. */
export function sizeOf(packages: readonly PackageRow[]): number {
  return packages.reduce((sum, row) => sum + (row.installed ? (row.size ?? 0) : 0), 0);
}

/** `a › b` for a `b` that lies within `a`; an alias says what it really is. */
export function placeOf({ place, name }: Pick<PackageRow, 'place' | 'name'>): string {
  const names = place.replace(/^node_modules\//, '').split('/node_modules/');
  const shown = names.join(' › ');
  return names.at(-1) === name ? shown : `${shown} (${name})`;
}

/** Packages with scripts, each version once, by name; several places of one are one package. */
export function scripted(packages: readonly PackageRow[]): { name: string; allowed: boolean }[] {
  const found = new Map<string, boolean>();
  for (const { name, locked, script, scriptAllowed, elsewhere } of packages) {
    if (script && !elsewhere) found.set(`${name}@${locked}`, scriptAllowed);
  }
  return [...found]
    .map(([name, allowed]) => ({ name, allowed }))
    .sort((a, b) => a.name.localeCompare(b.name));
}
