import { expect, it } from 'vitest';
import { isStale } from './calls';

it('knows from the generated table what a tag makes stale', () => {
  expect(isStale('tool.list', ['tools'])).toBe(true);
  expect(isStale('tool.manual', ['runs', 'tools'])).toBe(true);
  expect(isStale('run.list', ['tools'])).toBe(false);
  expect(isStale('run.list', [])).toBe(false);
  expect(isStale('toString', ['tools'])).toBe(false);
  expect(isStale(undefined, ['tools'])).toBe(false);
});
