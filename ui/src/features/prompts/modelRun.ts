/**
 * A question to a model: what it says as it comes, its answer, and calling it off. It belongs to the
 * component that asks; whoever leaves it calls the model off, because every word costs.
 *
 * Deliberately not here: waiting out a lost owner. The owner ends what nobody listens to.
 */

import { useQueryClient } from '@tanstack/vue-query';
import { computed, onBeforeUnmount, ref, shallowRef } from 'vue';
import { calls, type RunNews } from '@/generated/calls';
import { asCallError, randomKey, type CallError, type Params, type Result } from '@/platform';
import { invalidateTags, useTransport } from '@/shared/data/calls';
import { watchRun } from '@/shared/data/watchRun';
import { uuid } from '@/shared/uuid';

export type ModelCall = 'prompt.try' | 'prompt.optimise';

/** Where lines left before they were asked for. */
const GAP = ' […] ';

export function useModelRun<N extends ModelCall>(name: N) {
  const transport = useTransport();
  const client = useQueryClient();
  const state = ref<'idle' | 'asking' | 'stopping'>('idle');
  /** What the model says, and what it says beside it. */
  const said = ref('');
  const beside = ref('');
  const result = shallowRef<Result<N>>();
  const error = shallowRef<CallError>();
  const stopped = ref(false);
  let run = '';
  let sent = false;
  let queue = new AbortController();

  function hear(news: RunNews, from: number) {
    if (news.next - from > news.lines.length) said.value += GAP;
    for (const { text, stream } of news.lines) {
      if (stream === 'stderr') beside.value += text;
      else said.value += text;
    }
  }

  async function ask(params: Omit<Params<N>, 'run'>): Promise<void> {
    if (state.value !== 'idle') return;
    clear();
    state.value = 'asking';
    run = uuid();
    sent = false;
    queue = new AbortController();
    const over = new AbortController();
    const asked = run;
    void watchRun(transport, asked, hear, over.signal);
    try {
      const all = { ...params, run } as Params<N>;
      const onSent = () => {
        sent = true;
      };
      result.value = await transport.call(name, all, queue.signal, {
        key: randomKey(),
        onSent,
      });
    } catch (failure) {
      const failed = asCallError(failure, 'unknown');
      stopped.value = queue.signal.aborted || failed.code === 'cancelled';
      if (!stopped.value) error.value = failed;
    } finally {
      over.abort();
      state.value = 'idle';
      void invalidateTags(client, calls[name].tags);
    }
  }

  async function stop(): Promise<void> {
    if (state.value !== 'asking') return;
    state.value = 'stopping';
    if (!sent) return queue.abort();
    // It may have ended just now; then its answer is on its way.
    await transport.call('run.cancel', { run }).catch((failure: unknown) => {
      if (asCallError(failure, 'unknown').code !== 'run_not_open') queue.abort();
    });
  }

  function clear() {
    said.value = beside.value = '';
    result.value = error.value = undefined;
    stopped.value = false;
  }

  onBeforeUnmount(() => void stop());

  return {
    state,
    said,
    beside,
    result,
    error,
    stopped,
    ask,
    stop,
    clear,
    busy: computed(() => state.value !== 'idle'),
  };
}
