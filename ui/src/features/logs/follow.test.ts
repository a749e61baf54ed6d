import { expect, it } from 'vitest';
import { follow, FOLLOWING, sticks, unseen, type Follow, type FollowEvent } from './follow';

const after = (...events: FollowEvent[]): Follow => events.reduce(follow, FOLLOWING);

it('follows until one scrolls, and counts what comes then', () => {
  const away = after(
    { type: 'total', total: 100 },
    { type: 'away' },
    { type: 'total', total: 112 },
  );
  expect(sticks(away)).toBe(false);
  expect(unseen(away, 112)).toBe(12);
});

it('follows again at the end, or when asked to', () => {
  for (const type of ['end', 'newest'] as const) {
    const back = after({ type: 'total', total: 100 }, { type: 'away' }, { type, total: 120 });
    expect(sticks(back)).toBe(true);
    expect(unseen(follow(follow(back, { type: 'away' }), { type: 'total', total: 121 }), 121)).toBe(
      1,
    );
  }
});

it('stays where it was when a pause ends', () => {
  const reading = after({ type: 'away' }, { type: 'pause' }, { type: 'resume' });
  expect(sticks(reading)).toBe(false);
  const following = after({ type: 'pause' }, { type: 'resume' });
  expect(sticks(following)).toBe(true);
});

it('does not follow while paused, even at the end', () => {
  const paused = after({ type: 'pause' }, { type: 'away' }, { type: 'end', total: 5 });
  expect(paused.following).toBe(true);
  expect(sticks(paused)).toBe(false);
  expect(unseen(paused, 9)).toBe(4);
  expect(sticks(follow(paused, { type: 'newest', total: 9 }))).toBe(true);
});

it('keeps the number of new records when old ones leave', () => {
  const reading = after({ type: 'total', total: 5_000 }, { type: 'away' });
  const rotated = follow(reading, { type: 'renumbered', before: 5_040, total: 1_000 });
  expect(unseen(rotated, 1_000)).toBe(40);
  const emptied = follow(reading, { type: 'renumbered', before: 5_040, total: 10 });
  expect(unseen(emptied, 10)).toBe(10);
});
