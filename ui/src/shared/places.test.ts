import { describe, expect, it } from 'vitest';
import { placesOf } from './places';
import { hasWords } from './search';

describe('places of a list', () => {
  const places = placesOf('/things', ['use', 'edit']);

  it('name the tab unless it is the first, and keep a key in one part', () => {
    expect(places.addressOf('a/b c')).toBe('/things/a%2Fb%20c');
    expect(places.addressOf('a', 'use')).toBe('/things/a');
    expect(places.addressOf('a', 'edit')).toBe('/things/a/edit');
  });

  it('lead to the first tab where an address names none that is there', () => {
    expect([undefined, 'edit', 'gone'].map(places.tabOf)).toEqual(['use', 'edit', 'use']);
  });
});

describe('a search by words', () => {
  it('wants each of them, anywhere, in any case', () => {
    expect(hasWords('weekly-report /home/ada/周报', 'ADA week')).toBe(true);
    expect(hasWords('weekly-report /home/ada/周报', '周报')).toBe(true);
    expect(hasWords('weekly-report', 'week month')).toBe(false);
    expect(hasWords('weekly-report', '  ')).toBe(true);
  });
});
