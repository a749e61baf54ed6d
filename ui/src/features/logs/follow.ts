/**
 * Whether the view sticks to the newest record, and how many came while it did not.
 *
 * Two things that look alike and are not: *following* is about the place (scrolling up leaves it,
 * the end takes it up again), *paused* is about asking (nothing new arrives at all).
 */

export interface Follow {
  following: boolean;
  paused: boolean;
  /** Records there were when the newest one was last seen. */
  seen: number;
}

export type FollowEvent =
  /** The person moved away from the end, or to it. */
  | { type: 'away' }
  | { type: 'end'; total: number }
  /** She asked for the newest record. */
  | { type: 'newest'; total: number }
  | { type: 'pause' }
  | { type: 'resume' }
  /** So many records are there now. */
  | { type: 'total'; total: number }
  /** Records left: the numbers are new, what was not seen is not. */
  | { type: 'renumbered'; before: number; total: number };

export const FOLLOWING: Follow = { following: true, paused: false, seen: 0 };

export function follow(state: Follow, event: FollowEvent): Follow {
  switch (event.type) {
    case 'away':
      return { ...state, following: false };
    case 'end':
      return { ...state, following: true, seen: event.total };
    case 'newest':
      return { following: true, paused: false, seen: event.total };
    case 'pause':
      return { ...state, paused: true };
    case 'resume':
      return { ...state, paused: false };
    case 'total':
      return sticks(state) ? { ...state, seen: event.total } : state;
    case 'renumbered':
      return { ...state, seen: Math.max(0, event.total - unseen(state, event.before)) };
  }
}

/** The view moves with every new record. */
export function sticks(state: Follow): boolean {
  return state.following && !state.paused;
}

/** Records that came since the newest one was seen. */
export function unseen(state: Follow, total: number): number {
  return sticks(state) ? 0 : Math.max(0, total - state.seen);
}
