/** What there is and can be found: tools, MCP servers, workspaces, notebooks, prompts, skills, pictures. */

import {
  Cable,
  FolderCog,
  GraduationCap,
  Image,
  NotebookPen,
  Play,
  SquareTerminal,
  TextQuote,
  Wrench,
} from '@lucide/vue';
import { computed, unref, type ComputedRef, type MaybeRef, type Ref } from 'vue';
import { useI18n } from 'vue-i18n';
import { useRouter } from 'vue-router';
import { PLACES as CELLS } from '@/features/cells/places';
import { PLACES as PROMPTS, groupOf } from '@/features/prompts/places';
import { PLACES as SERVERS } from '@/features/servers/places';
import { PLACES as SKILLS } from '@/features/skills/places';
import { PLACES as TOOLS } from '@/features/tools/places';
import { PLACES as WORKSPACES } from '@/features/workspaces/places';
import { useCall } from '@/shared/data/calls';
import { dateTime } from '@/shared/format';
import type { Entry } from './find';

/** Pictures that can be found by title; older ones are in the gallery. */
const PICTURES = 100;
/** More prompts than the palette has rows for. */
const PROMPTS_MOST = 50;

export function useThings(open: Ref<boolean>, typed: Ref<string>): ComputedRef<Entry[]> {
  const all = [
    useTools(open),
    useServers(open),
    useWorkspaces(open),
    useNotebooks(open),
    usePrompts(open, typed),
    useSkills(open),
    usePictures(open),
  ];
  return computed(() => all.flatMap((entries) => entries.value));
}

function useTools(open: Ref<boolean>): ComputedRef<Entry[]> {
  const { t } = useI18n();
  const router = useRouter();
  const { data } = useCall('tool.list', {}, { enabled: open });
  return computed(() =>
    (data.value?.tools ?? []).flatMap((tool): Entry[] => {
      const words = tool.tags.join(' ');
      const about: Entry = {
        id: `tool.${tool.name}`,
        group: 'tool',
        label: tool.name,
        detail: tool.description,
        icon: Wrench,
        words,
        run: () => void router.push(TOOLS.addressOf(tool.name)),
      };
      const run: Entry = {
        id: `run.${tool.name}`,
        group: 'run',
        label: t('palette.run', { tool: tool.name }),
        icon: Play,
        words: `run ${tool.name}`,
        run: () => void router.push(TOOLS.addressOf(tool.name, 'run')),
      };
      return tool.state === 'broken' ? [about] : [about, run];
    }),
  );
}

function useWorkspaces(open: Ref<boolean>): ComputedRef<Entry[]> {
  const { t } = useI18n();
  const router = useRouter();
  const { data } = useCall('workspace.list', {}, { enabled: open });
  return computed(() =>
    (data.value?.workspaces ?? []).flatMap(({ taskId, workspacePath }): Entry[] => [
      {
        id: `workspace.${taskId}`,
        group: 'workspace',
        label: taskId,
        detail: workspacePath,
        icon: FolderCog,
        words: 'open workspace files',
        run: () => void router.push(WORKSPACES.addressOf(taskId)),
      },
      {
        id: `terminal.${taskId}`,
        group: 'workspace',
        label: t('palette.terminal', { task: taskId }),
        icon: SquareTerminal,
        words: 'new terminal shell',
        run: () => void router.push(`${WORKSPACES.addressOf(taskId, 'terminal')}?new=1`),
      },
    ]),
  );
}

function useNotebooks(open: Ref<boolean>): ComputedRef<Entry[]> {
  const { t, locale } = useI18n();
  const router = useRouter();
  const { data } = useCall('cells.list', { removed: false }, { enabled: open });
  return computed(() =>
    (data.value?.canvases ?? []).map(({ id, title, cells, changedAt }): Entry => ({
      id: `notebook.${id}`,
      group: 'notebook',
      label: title,
      detail: `${t('cells.count', { count: cells }, cells)} · ${dateTime(changedAt, locale.value)}`,
      icon: NotebookPen,
      words: 'notebook cells canvas',
      run: () => void router.push(CELLS.addressOf(id)),
    })),
  );
}

function useServers(open: Ref<boolean>): ComputedRef<Entry[]> {
  const router = useRouter();
  const { data } = useCall('external.list', {}, { enabled: open });
  return computed(() =>
    (data.value?.servers ?? []).map(({ name, target }): Entry => ({
      id: `server.${name}`,
      group: 'server',
      label: name,
      detail: target,
      icon: Cable,
      words: 'mcp server',
      run: () => void router.push(SERVERS.addressOf(name)),
    })),
  );
}

/** The prompts with these words, in their texts as well. */
export function allPrompts(words: MaybeRef<string>, open: MaybeRef<boolean> = true) {
  return useCall(
    'prompt.list',
    () => ({
      words: unref(words).trim(),
      search: 'full_text' as const,
      group: '',
      page: { offset: 0, limit: PROMPTS_MOST },
    }),
    { enabled: () => unref(open), keep: true },
  );
}

/** A library may be larger than a page of it: the server looks for what is typed, in the texts as well. */
function usePrompts(open: Ref<boolean>, typed: Ref<string>): ComputedRef<Entry[]> {
  const router = useRouter();
  const { data, isPlaceholderData } = allPrompts(typed, open);
  return computed(() =>
    (data.value?.prompts ?? []).map(({ path, name, description }): Entry => ({
      id: `prompt.${path}`,
      group: 'prompt',
      label: name,
      detail: [groupOf(path), description].filter(Boolean).join(' · '),
      icon: TextQuote,
      // What it was found by may stand in its text alone. Those of the question before answer another one.
      words: isPlaceholderData.value ? 'prompt' : `prompt ${typed.value}`,
      run: () => void router.push(PROMPTS.addressOf(path)),
    })),
  );
}

function useSkills(open: Ref<boolean>): ComputedRef<Entry[]> {
  const router = useRouter();
  const { data } = useCall('skill.list', { words: '' }, { enabled: open });
  return computed(() =>
    (data.value?.skills ?? []).map(({ skill, description }): Entry => ({
      id: `skill.${skill}`,
      group: 'skill',
      label: skill,
      detail: description,
      icon: GraduationCap,
      words: 'skill',
      run: () => void router.push(SKILLS.addressOf(skill)),
    })),
  );
}

function usePictures(open: Ref<boolean>): ComputedRef<Entry[]> {
  const { locale } = useI18n();
  const router = useRouter();
  const { data } = useCall('artifact.list', { offset: 0, limit: PICTURES }, { enabled: open });
  return computed(() =>
    (data.value?.artifacts ?? []).map((picture) => ({
      id: `picture.${picture.id}`,
      group: 'picture',
      label: picture.title || picture.file,
      detail: dateTime(picture.createdAt, locale.value),
      icon: Image,
      words: picture.source,
      run: () => void router.push(`/canvas/${encodeURIComponent(picture.id)}`),
    })),
  );
}
