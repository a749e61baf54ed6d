/**
 * A transport without an owner, for component tests and for looking at the page in development:
 * `?fake=full|empty|error|loading|many`. It is not part of what is built for people.
 *
 * Every feature has a file beside this one whose default export answers its calls:
 * `export default (scene: Scene): FakeHandlers => ({ 'tool.list': () => … })`.
 */

import { calls, type WireEvent } from '@/generated/calls';
import {
  CallError,
  type CallName,
  type Link,
  type Listener,
  type Long,
  type Transport,
} from '../transport';

export const SCENES = ['full', 'empty', 'error', 'loading', 'many'] as const;
export type Scene = (typeof SCENES)[number];

/**
 * Answers by call name. The parameters come as the page gave them; the answer is what the owner
 * would have sent, or a promise of it. Throw {@link CallError} to fail.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type FakeHandler = (params: any, signal?: AbortSignal, long?: Long) => unknown;
export type FakeHandlers = Record<string, FakeHandler>;

export interface FakeCall {
  name: string;
  params: unknown;
}

export interface FakeTransport extends Transport {
  /** Every call that was made, in order. */
  calls: FakeCall[];
  /** Tells all listeners of an event. */
  emit(event: Partial<WireEvent> & { kind: string }): void;
  /** Tells all listeners that the link changed. */
  setLink(link: Link): void;
}

export function fakeTransport(handlers: FakeHandlers): FakeTransport {
  const made: FakeCall[] = [];
  const listeners = new Set<Listener>();
  return {
    calls: made,
    async call(name, params, signal, long) {
      long?.onSent?.();
      made.push({ name, params });
      const handler = handlers[name];
      if (!handler) throw new CallError({ code: 'unknown_call', args: { name } });
      return (await handler(params, signal, long)) as never;
    },
    subscribe(listener) {
      listeners.add(listener);
      listener.onLink('open');
      return () => listeners.delete(listener);
    },
    assetUrl: (url) => url,
    emit: (event) =>
      listeners.forEach((one) => one.onEvent({ cursor: '0:0', tags: [], data: null, ...event })),
    setLink: (link) => listeners.forEach((one) => one.onLink(link)),
  };
}

/** The scene that the address asks for. */
export function sceneOf(search: string): Scene | undefined {
  const asked = new URLSearchParams(search).get('fake');
  return SCENES.find((scene) => scene === asked);
}

type HandlersFile = { default: (scene: Scene) => FakeHandlers };
const files = import.meta.glob<HandlersFile>(['./*.ts', '!./index.ts', '!./*.test.ts'], {
  eager: true,
});

/** Everything that the features answer in a scene; a new owner each time. */
export function handlersOf(scene: Scene): FakeHandlers {
  const all: FakeHandlers = {};
  for (const file of Object.values(files)) Object.assign(all, file.default(scene));
  return all;
}

/** The whole page in one of its states. */
export function fakeScene(scene: Scene): FakeTransport {
  const all = handlersOf(scene);
  if (scene === 'loading') {
    for (const name of Object.keys(all)) all[name] = () => new Promise(() => undefined);
  }
  if (scene === 'error') {
    for (const name of Object.keys(all)) if (isRead(name)) all[name] = fail;
  }
  const transport = fakeTransport(all);
  // The page's own console may play the owner: `fake.setLink('lost')`.
  Object.assign(window, { fake: transport });
  return transport;
}

/** A call that only looks; one that is not in the table yet counts as such. */
function isRead(name: string): boolean {
  return !Object.hasOwn(calls, name) || !calls[name as CallName].changes;
}

function fail(): never {
  throw new CallError({
    code: 'store_failed',
    message: 'The database could not be read.',
    hint: 'Look whether the disk is full, then try again.',
    args: {},
  });
}
