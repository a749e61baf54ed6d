/** What an open run writes and how far it is, from wherever it was begun. */

import type { RunNews } from '@/generated/calls';
import type { Params, Transport } from '@/platform';
import { Backoff, pause } from '@/platform/backoff';

/**
 * Asks for news until the run has ended. Trouble on the way is only a pause: the run goes on.
 * `hear` gets each news, and the number of the line that it was asked from.
 */
export async function watchRun(
  transport: Transport,
  run: string,
  hear: (news: RunNews, from: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const wait = new Backoff();
  let at = { from: 0, version: 0 };
  while (!signal.aborted) {
    const news = await ask(transport, { run, ...at }, signal);
    if (signal.aborted) return;
    if (news) hear(news, at.from);
    if (news?.state === 'ended') return;
    // An owner that answers at once without news would be asked without end.
    const quiet = !news || news.version === at.version;
    if (news) at = { from: news.next, version: news.version };
    if (quiet) await pause(wait.take(), signal);
    else wait.reset();
  }
}

async function ask(
  transport: Transport,
  params: Params<'run.watch'>,
  signal: AbortSignal,
): Promise<RunNews | undefined> {
  try {
    return await transport.call('run.watch', params, signal);
  } catch {
    // The run's own call tells what is wrong; without news there are only no lines for a while.
    return undefined;
  }
}
