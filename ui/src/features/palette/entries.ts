/** Everything that the palette can do: pages, actions, and what there is (things.ts). */

import {
  Cable,
  ClipboardCopy,
  FilePlus2,
  FolderPlus,
  GraduationCap,
  Languages,
  MonitorCog,
  Moon,
  NotebookPen,
  PackagePlus,
  RefreshCw,
  Sparkles,
  Sun,
  TextQuote,
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
import { THEMES, useTheme, type Theme } from '@/shared/composables/theme';
import { useToasts } from '@/shared/composables/toasts';
import { useCall, useChange } from '@/shared/data/calls';
import { useNative } from '@/shared/data/native';
import { currentLanguage, LANGUAGES } from '@/shared/i18n';
import type { Entry } from './find';
import { useThings } from './things';

/** What begins with a dialog of its page, which opens it by the address. */
const NEW = [
  {
    id: 'workspace',
    icon: FolderPlus,
    to: '/workspaces?bind=1',
    words: 'bind folder workspace task',
  },
  { id: 'tool', icon: PackagePlus, to: '/tools?add=1', words: 'add install tool zip npm' },
  { id: 'prompt', icon: TextQuote, to: '/prompts?new=1', words: 'new prompt' },
  { id: 'notebook', icon: NotebookPen, to: '/cells?new=1', words: 'new notebook cells canvas' },
] as const;
/** Wanted more seldom: at the end, where only who types finds them. */
const ALSO_NEW = [
  { id: 'server', icon: Cable, to: `${SERVERS.root}?add=1`, words: 'add mcp server external' },
  { id: 'skill', icon: GraduationCap, to: `${SKILLS.root}?new=1`, words: 'new skill' },
  { id: 'wish', icon: Sparkles, to: '/assistant?ask=1', words: 'ask assistant browser page' },
] as const;
type New = (typeof NEW | typeof ALSO_NEW)[number];

const THEME_ICONS: Record<Theme, LucideIcon> = { system: MonitorCog, light: Sun, dark: Moon };

/** Lists are asked for only while the palette is `open`; mostly they are already there. */
export function useEntries(open: Ref<boolean>, typed: Ref<string>): ComputedRef<Entry[]> {
  const go = useGo();
  const actions = useActions();
  const things = useThings(open, typed);
  return computed(() => [...go.value, ...actions.value, ...things.value]);
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

  const made = ({ id, icon, to, words }: New): Entry => ({
    id: `new.${id}`,
    group: 'action',
    label: t(`palette.new.${id}`),
    icon,
    words,
    run: () => void router.push(id === 'prompt' ? beside(to) : to),
  });

  /** A new prompt begins in the group of the one that is looked at, which stays. */
  function beside(to: string) {
    const { params, path } = router.currentRoute.value;
    return params.prompt ? { path, query: { new: '1' } } : to;
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
      ...NEW.map(made),
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
    entries.push(...ALSO_NEW.map(made));
    return entries;
  });
}
