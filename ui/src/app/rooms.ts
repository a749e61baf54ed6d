/** The rooms of the window, as the rail and the palette have them. Only those that work. */

import {
  ChartNoAxesGantt,
  FolderCog,
  Images,
  Network,
  NotebookPen,
  Settings2,
  Sparkles,
  TextQuote,
  Wrench,
} from '@lucide/vue';
import type { Component } from 'vue';

export const ROOMS = [
  'tools',
  'canvas',
  'workspaces',
  'agents',
  'cells',
  'assistant',
  'prompts',
  'activity',
  'settings',
] as const;
export type Room = (typeof ROOMS)[number];

export const ICONS: Record<Room, Component> = {
  tools: Wrench,
  canvas: Images,
  workspaces: FolderCog,
  agents: Network,
  cells: NotebookPen,
  assistant: Sparkles,
  prompts: TextQuote,
  activity: ChartNoAxesGantt,
  settings: Settings2,
};

/** The room that an address is in. */
export function roomOf(path: string): Room | undefined {
  const first = path.split('/')[1];
  return ROOMS.find((room) => room === first);
}
