/**
 * Mounts a component as the page does, but over the fake transport: tests of components see
 * languages, router, cache and host abilities without knowing how they are provided.
 */

import { QueryClient, VueQueryPlugin } from '@tanstack/vue-query';
import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import type { Component } from 'vue';
import { createMemoryHistory, createRouter, type Router } from 'vue-router';
import type { Native } from '@/platform';
import { fakeTransport, type FakeHandlers, type FakeTransport } from '@/platform/fake';
import { TRANSPORT } from './data/calls';
import { NATIVE } from './data/native';
import { i18n, setLanguage, type Language } from './i18n';

export interface Mounting {
  props?: Record<string, unknown>;
  slots?: Record<string, string>;
  handlers?: FakeHandlers;
  native?: Partial<Native>;
  language?: Language;
  /** Address to start at. */
  at?: string;
}

export interface Mounted {
  wrapper: VueWrapper;
  transport: FakeTransport;
  router: Router;
  client: QueryClient;
  /** Texts that were copied, in order. */
  copied: string[];
}

/** A generic component is a function to TypeScript. */
type Mountable = Component | ((...args: never[]) => unknown);

export async function mountPart(component: Mountable, how: Mounting = {}): Promise<Mounted> {
  const transport = fakeTransport(how.handlers ?? {});
  const client = new QueryClient({
    defaultOptions: { queries: { retry: false, gcTime: Infinity, staleTime: Infinity } },
  });
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [
      { path: '/tools/@servers/:server?/:tab?', component: {} },
      { path: '/tools/:tool?/:tab?', component: {} },
      { path: '/canvas/scratchpad', component: {} },
      { path: '/canvas/:id?', component: {} },
      { path: '/workspaces/:task?/:tab?', component: {} },
      { path: '/agents/:task?/:tab?', component: {} },
      { path: '/cells/:notebook?/:tab?', component: {} },
      { path: '/prompts/skills/:skill?/:tab?', component: {} },
      { path: '/prompts/:prompt?/:tab?', component: {} },
      { path: '/settings/:section?', component: {} },
      { path: '/:rest(.*)*', component: {} },
    ],
  });
  await router.push(how.at ?? '/');
  const copied: string[] = [];
  const native: Native = {
    copyText: async (text) => void copied.push(text),
    copyImage: async () => undefined,
    saveFile: async () => true,
    ...how.native,
  };
  setLanguage(how.language ?? 'en');
  const wrapper = mount(component as Component, {
    attachTo: document.body,
    ...(how.props && { props: how.props }),
    ...(how.slots && { slots: how.slots }),
    global: {
      plugins: [i18n, router, [VueQueryPlugin, { queryClient: client }]],
      provide: { [TRANSPORT as symbol]: transport, [NATIVE as symbol]: native },
    },
  });
  await flushPromises();
  return { wrapper, transport, router, client, copied };
}

/** Until what was asked for is shown, and what that asked for. */
export async function settle() {
  for (let n = 0; n < 4; n += 1) await flushPromises();
}

/** All that can be read. */
export const words = () => document.body.textContent ?? '';

/** The button that is called so. */
export function button(text: string): HTMLButtonElement {
  const found = [...document.querySelectorAll('button')].find(
    (one) => (one.getAttribute('aria-label') ?? one.textContent?.trim()) === text,
  );
  if (!found) throw new Error(`no button ${text}`);
  return found;
}

/** Chooses an entry of the menu behind a button, by its name where there is one such. */
export async function choose(menu: string | Element, entry: string) {
  const opens = typeof menu === 'string' ? button(menu) : menu;
  // As with a mouse: the menu opens on pointerdown in browsers, by key everywhere.
  opens.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  await settle();
  const items = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const found = items.find((one) => one.textContent?.trim() === entry);
  if (!found) throw new Error(`no ${entry} in ${items.map((one) => one.textContent).join(', ')}`);
  found.click();
  await settle();
}

/** Writes into the field of this label. */
export function write(label: string, text: string) {
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    'input, textarea',
  );
  const field = [...fields].find((one) => one.labels?.[0]?.textContent?.trim() === label);
  if (!field) throw new Error(`no field ${label}`);
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** With what a call was made, each time. */
export const sent = ({ calls }: FakeTransport, name: string) =>
  calls.filter((call) => call.name === name).map(({ params }) => params);
