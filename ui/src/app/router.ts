/**
 * Addresses of the page. They live behind the hash: the desktop window has no server that would
 * answer for every path.
 */

import { reactive } from 'vue';
import { createRouter, createWebHashHistory, type Router, type RouterHistory } from 'vue-router';
import { roomOf, type Room } from './rooms';

const visited = reactive<Partial<Record<Room, string>>>({});

/** Where a room was left, so that coming back finds it as it was. */
export function lastIn(room: Room): string {
  return visited[room] ?? `/${room}`;
}

export function pageRouter(history: RouterHistory = createWebHashHistory()): Router {
  const router = createRouter({
    history,
    routes: [
      { path: '/', redirect: '/tools' },
      {
        path: '/tools/@servers/:server?/:tab?',
        component: () => import('@/features/servers/ServersPage.vue'),
      },
      { path: '/tools/:tool?/:tab?', component: () => import('@/features/tools/ToolsPage.vue') },
      {
        path: '/canvas/scratchpad',
        component: () => import('@/features/canvas/ScratchpadPage.vue'),
      },
      { path: '/canvas/:id?', component: () => import('@/features/canvas/CanvasPage.vue') },
      {
        path: '/workspaces/:task?/:tab?',
        component: () => import('@/features/workspaces/WorkspacesPage.vue'),
      },
      {
        path: '/agents/:task?/:tab?',
        component: () => import('@/features/agents/AgentsPage.vue'),
      },
      {
        path: '/cells/:notebook?/:tab?',
        component: () => import('@/features/cells/CellsPage.vue'),
      },
      {
        path: '/assistant',
        component: () => import('@/features/assistant/AssistantPage.vue'),
      },
      {
        path: '/prompts/skills/:skill?/:tab?',
        component: () => import('@/features/skills/SkillsPage.vue'),
      },
      {
        path: '/prompts/:prompt?/:tab?',
        component: () => import('@/features/prompts/PromptsPage.vue'),
      },
      { path: '/activity', component: () => import('@/features/activity/ActivityPage.vue') },
      {
        path: '/settings/:section?',
        component: () => import('@/features/settings/SettingsPage.vue'),
      },
      { path: '/:rest(.*)*', redirect: '/tools' },
    ],
  });
  router.afterEach((to) => {
    const room = roomOf(to.path);
    if (room) visited[room] = to.fullPath;
  });
  return router;
}
