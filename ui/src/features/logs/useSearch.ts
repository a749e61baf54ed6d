/** Searching a log: the owner searches, the page goes where it found something. */

import { onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue';
import type { Direction, LogFound, LogLevel } from '@/generated/calls';
import { asCallError, type CallError, type Transport } from '@/platform';

/** One types faster than this. */
const TYPING_MS = 200;

export interface SearchOptions {
  call: Transport['call'];
  tool: string;
  levels(): readonly LogLevel[];
  /** Where a new search begins. */
  start(): { from: number; direction: Direction };
  total(): number;
  /** A record was found. */
  show(found: LogFound & { index: number }): void;
}

export interface Search {
  text: Ref<string>;
  /** What was found last; without `index` nothing was. */
  found: Readonly<Ref<LogFound | undefined>>;
  failure: Readonly<Ref<CallError | undefined>>;
  step(direction: Direction): Promise<void>;
  /** The numbers of what was found are no longer true: counts again, and goes nowhere. */
  recount(): void;
}

export function useSearch(options: SearchOptions): Search {
  const text = ref('');
  const found = shallowRef<LogFound>();
  const failure = shallowRef<CallError>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;

  function forget() {
    clearTimeout(timer);
    asking?.abort();
    found.value = undefined;
    failure.value = undefined;
  }

  async function find(from: number, direction: Direction, then: 'show' | 'stay'): Promise<void> {
    clearTimeout(timer);
    asking?.abort();
    const mine = new AbortController();
    asking = mine;
    const levels = options.levels();
    const chosen = levels.length > 0 ? { levels: [...levels] } : {};
    const query = { tool: options.tool, ...chosen, text: text.value, from, direction };
    try {
      const answer = await options.call('log.find', query, mine.signal);
      if (mine.signal.aborted) return;
      found.value = answer;
      failure.value = undefined;
      if (then === 'show' && answer.index !== undefined) {
        options.show({ ...answer, index: answer.index });
      }
    } catch (error) {
      if (!mine.signal.aborted) failure.value = asCallError(error, 'unknown');
    }
  }

  function begin(then: 'show' | 'stay'): Promise<void> {
    const { from, direction } = options.start();
    return find(from, direction, then);
  }

  watch(text, (now) => {
    forget();
    if (now !== '') timer = setTimeout(() => void begin('show'), TYPING_MS);
  });
  onScopeDispose(forget);

  return {
    text,
    found,
    failure,
    recount() {
      forget();
      if (text.value !== '') void begin('stay');
    },
    async step(direction) {
      if (text.value === '') return;
      const at = found.value?.index;
      if (at === undefined) return begin('show');
      const next = direction === 'forward' ? at + 1 : at - 1;
      const total = Math.max(1, options.total());
      return find((next + total) % total, direction, 'show');
    },
  };
}
