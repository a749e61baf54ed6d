/** Everything that the palette can do: pages, actions, tools, workspaces, skills, pictures. */

import {
  Cable,
  ClipboardCopy,
  FilePlus2,
  FolderCog,
  FolderPlus,
  GraduationCap,
  Image,
  Languages,
  MonitorCog,
  Moon,
  Play,
  RefreshCw,
  SquareTerminal,
  Sun,
  Wrench,
  type LucideIcon,
} from '@lucide/vue';
import { computed, type ComputedRef, type Ref } from 'vue';
import { useI18n } from 'vue-i18n';
import { useRouter } from 'vue-router';
import { ICONS, ROOMS } from '@/app/rooms';
import { mcpUrl } from '@/features/server/connect';
import { PLACES as SERVERS } from '@/features/servers/places';
import { SECTIONS } from '@/features/settings/sections';
import { useLanguage } from '@/features/settings/settings';
import { PLACES as SKILLS } from '@/features/skills/places';
import { PLACES as WORKSPACES } from '@/features/workspaces/places';
import { THEMES, useTheme, type Theme } from '@/shared/composables/theme';
import { useToasts } from '@/shared/composables/toasts';
import { useCall, useChange } from '@/shared/data/calls';
import { useNative } from '@/shared/data/native';
import { dateTime } from '@/shared/format';
import { currentLanguage, LANGUAGES } from '@/shared/i18n';
import type { Entry } from './find';

/** Pictures that can be found by title; older ones are in the gallery. */
const PICTURES = 100;

const THEME_ICONS: Record<Theme, LucideIcon> = { system: MonitorCog, light: Sun, dark: Moon };

/** Lists are asked for only while the palette is `open`; mostly they are already there. */
export function useEntries(open: Ref<boolean>): ComputedRef<Entry[]> {
  const go = useGo();
  const actions = useActions();
  const tools = useTools(open);
  const workspaces = useWorkspaces(open);
  const skills = useSkills(open);
  const pictures = usePictures(open);
  return computed(() =>
    [go, actions, tools, workspaces, skills, pictures].flatMap((entries) => entries.value),
  );
}

function useGo(): ComputedRef<Entry[]> {
  const { t } = useI18n();
  const router = useRouter();
  return computed(() => [
    ...ROOMS.map((room, index): Entry => ({
      id: `go.${room}`,
      group: 'go',
      label: t(`app.room.${room}`),
      icon: ICONS[room],
      shortcut: `alt+${index + 1}`,
      words: room,
      run: () => void router.push(`/${room}`),
    })),
    {
      id: 'go.servers',
      group: 'go',
      label: t('servers.title'),
      icon: Cable,
      words: 'servers mcp external',
      run: () => void router.push(SERVERS.root),
    },
    {
      id: 'go.skills',
      group: 'go',
      label: t('skills.title'),
      icon: GraduationCap,
      words: 'skills',
      run: () => void router.push(SKILLS.root),
    },
    ...SECTIONS.map((section): Entry => ({
      id: `go.settings.${section.name}`,
      group: 'go',
      label: t(`settings.section.${section.name}`),
      detail: t('settings.section.all'),
      icon: section.icon,
      words: `settings ${section.name}`,
      run: () => void router.push(`/settings/${section.name}`),
    })),
  ]);
}

function useActions(): ComputedRef<Entry[]> {
  const { t } = useI18n();
  const router = useRouter();
  const native = useNative();
  const theme = useTheme();
  const { choose } = useLanguage();
  const { show } = useToasts();
  const rescan = useChange('tool.rescan');
  const hello = useCall('server.hello', {});

  async function copyAddress(url: string) {
    try {
      await native.copyText(url);
      show({ text: t('palette.address.copied'), tone: 'ok' });
    } catch {
      show({ text: t('common.copy.failed'), tone: 'bad' });
    }
  }

  return computed(() => {
    const address = hello.data.value?.address;
    const entries: Entry[] = [
      {
        id: 'script.new',
        group: 'action',
        label: t('palette.script'),
        icon: FilePlus2,
        words: 'new script scratchpad javascript canvas',
        run: () => void router.push('/canvas/scratchpad'),
      },
      {
        id: 'workspace.bind',
        group: 'action',
        label: t('palette.bind'),
        icon: FolderPlus,
        words: 'bind folder workspace task',
        run: () => void router.push('/workspaces?bind=1'),
      },
      {
        id: 'tools.rescan',
        group: 'action',
        label: t('palette.rescan.name'),
        icon: RefreshCw,
        words: 'rescan toolbox reload',
        run: () =>
          rescan.mutate(
            {},
            {
              onSuccess: ({ tools }) =>
                show({ text: t('palette.rescan.done', { count: tools.length }), tone: 'ok' }),
              onError: (error) =>
                show({ text: error.message || t('palette.rescan.failed'), tone: 'bad' }),
            },
          ),
      },
    ];
    if (address) {
      entries.unshift({
        id: 'address.copy',
        group: 'action',
        label: t('palette.address.name'),
        detail: mcpUrl(address),
        icon: ClipboardCopy,
        words: 'copy mcp address url',
        run: () => void copyAddress(mcpUrl(address)),
      });
    }
    for (const one of THEMES.filter((other) => other !== theme.value)) {
      entries.push({
        id: `theme.${one}`,
        group: 'action',
        label: t('palette.theme', { theme: t(`common.theme.${one}`) }),
        icon: THEME_ICONS[one],
        words: `theme ${one}`,
        run: () => (theme.value = one),
      });
    }
    for (const one of LANGUAGES.filter((other) => other !== currentLanguage())) {
      entries.push({
        id: `language.${one}`,
        group: 'action',
        label: t('palette.language', { language: t(`common.language.${one}`) }),
        icon: Languages,
        words: `language ${one}`,
        run: () => choose(one),
      });
    }
    return entries;
  });
}

function useTools(open: Ref<boolean>): ComputedRef<Entry[]> {
  const { t } = useI18n();
  const router = useRouter();
  const { data } = useCall('tool.list', {}, { enabled: open });
  return computed(() =>
    (data.value?.tools ?? []).flatMap((tool): Entry[] => {
      const words = tool.tags.join(' ');
      const page = `/tools/${encodeURIComponent(tool.name)}`;
      const about: Entry = {
        id: `tool.${tool.name}`,
        group: 'tool',
        label: tool.name,
        detail: tool.description,
        icon: Wrench,
        words,
        run: () => void router.push(page),
      };
      const run: Entry = {
        id: `run.${tool.name}`,
        group: 'run',
        label: t('palette.run', { tool: tool.name }),
        icon: Play,
        words: `run ${tool.name}`,
        run: () => void router.push(`${page}/run`),
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
