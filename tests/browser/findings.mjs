// What axe finds on a page that makes it unusable for somebody.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What makes a page unusable for somebody; the rest is advice. */
const SERIOUS = ['serious', 'critical'];

/** Serious and critical findings, each with where it is and what is wrong. */
export async function findings(page) {
  // Not as a script element: the page's policy forbids those.
  await page.evaluate(axe);
  const { violations, passes } = await page.evaluate(() =>
    globalThis.axe.run(document, { resultTypes: ['violations'] }),
  );
  assert.ok(passes.length > 5, 'axe looked at a page');
  return violations
    .filter(({ impact }) => SERIOUS.includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}\n${failureSummary}`));
}
