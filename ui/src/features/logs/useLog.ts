/** A log as the page shows it: what the reader has, and whether the view sticks to the end. */

import { computed, onScopeDispose, ref, shallowRef, type ComputedRef, type Ref } from 'vue';
import type { LogLevel, LogRecord } from '@/generated/calls';
import type { CallError } from '@/platform';
import { useTransport } from '@/shared/data/calls';
import { follow, FOLLOWING, sticks, unseen, type Follow, type FollowEvent } from './follow';
import { NO_COUNTS } from './levels';
import { LogReader, type Numbers } from './reader';

/** Where the list stands; the list itself says so and moves when asked. */
export interface View {
  /** Number of the first row seen. */
  first(): number;
  /** Shows this row at the top. */
  show(index: number): void;
}

export interface Log {
  numbers: Readonly<Ref<Numbers>>;
  failure: Readonly<Ref<CallError | undefined>>;
  ready: Readonly<Ref<boolean>>;
  /** Moves on with every change, so that rows are read again. */
  version: Readonly<Ref<number>>;
  state: Readonly<Ref<Follow>>;
  sticks: ComputedRef<boolean>;
  unseen: ComputedRef<number>;
  record(index: number): LogRecord | undefined;
  /** These rows are drawn now. */
  want(first: number, last: number): void;
  dispatch(event: FollowEvent): void;
  togglePause(): void;
  newest(): void;
  choose(levels: readonly LogLevel[]): void;
  expect(generation: string): void;
  generation(): string | undefined;
  retry(): void;
}

export interface LogOptions {
  tool: string;
  view(): View | undefined;
  /** Numbers that were remembered mean other records now. */
  onRenumbered(): void;
}

export function useLog(options: LogOptions): Log {
  const transport = useTransport();
  const numbers = shallowRef<Numbers>({ total: 0, counts: NO_COUNTS, bytes: 0 });
  const failure = shallowRef<CallError>();
  const ready = ref(false);
  const version = ref(0);
  const state = shallowRef<Follow>(FOLLOWING);

  const reader = new LogReader({
    call: transport.call,
    tool: options.tool,
    onChange() {
      numbers.value = reader.numbers;
      failure.value = reader.failure;
      ready.value ||= reader.ready;
      version.value += 1;
      dispatch({ type: 'total', total: reader.numbers.total });
    },
    place: () => (sticks(state.value) ? undefined : options.view()?.first()),
    onRenumbered(index, before) {
      dispatch({ type: 'renumbered', before, total: reader.numbers.total });
      options.onRenumbered();
      if (index !== undefined) options.view()?.show(index);
    },
  });

  function dispatch(event: FollowEvent) {
    const was = state.value;
    const now = follow(was, event);
    state.value = now;
    // Away from the end only the numbers are news.
    if (!now.following) reader.tail(0);
    if (was.paused !== now.paused) {
      if (now.paused) reader.pause();
      else reader.start();
    }
  }

  reader.start();
  onScopeDispose(() => reader.stop());

  return {
    numbers,
    failure,
    ready,
    version,
    state,
    sticks: computed(() => sticks(state.value)),
    unseen: computed(() => unseen(state.value, numbers.value.total)),
    record: (index) => reader.record(index),
    want(first, last) {
      // As many at the end as are drawn: then following needs no second call.
      reader.tail(sticks(state.value) ? last - first + 1 : 0);
      reader.want(first, last);
    },
    dispatch,
    togglePause: () => dispatch({ type: state.value.paused ? 'resume' : 'pause' }),
    newest: () => dispatch({ type: 'newest', total: numbers.value.total }),
    choose: (levels) => reader.choose(levels),
    expect: (generation) => reader.expect(generation),
    generation: () => reader.generation,
    retry: () => reader.start(),
  };
}
