/** The sections of the settings, in their order. */

import {
  Bot,
  Database,
  Info,
  KeyRound,
  PlugZap,
  Server,
  ShieldCheck,
  SlidersHorizontal,
  Sparkles,
} from '@lucide/vue';
import { defineAsyncComponent, type Component } from 'vue';
import GeneralSection from './GeneralSection.vue';

export interface Section {
  name: string;
  icon: Component;
  part: Component;
}

export const SECTIONS = [
  { name: 'general', icon: SlidersHorizontal, part: GeneralSection },
  { name: 'server', icon: Server, part: lazy(() => import('./ServerSection.vue')) },
  { name: 'connect', icon: PlugZap, part: lazy(() => import('./ConnectSection.vue')) },
  { name: 'tokens', icon: KeyRound, part: lazy(() => import('./TokensSection.vue')) },
  { name: 'models', icon: Bot, part: lazy(() => import('./ModelsSection.vue')) },
  { name: 'assistant', icon: Sparkles, part: lazy(() => import('./AssistantSection.vue')) },
  { name: 'isolation', icon: ShieldCheck, part: lazy(() => import('./IsolationSection.vue')) },
  { name: 'data', icon: Database, part: lazy(() => import('./DataSection.vue')) },
  { name: 'about', icon: Info, part: lazy(() => import('./AboutSection.vue')) },
] as const satisfies readonly Section[];

function lazy(load: () => Promise<{ default: Component }>): Component {
  return defineAsyncComponent(load);
}
