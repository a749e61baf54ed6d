/** What those who speak are called. */

import { computed, toValue, type MaybeRefOrGetter } from 'vue';
import { useI18n } from 'vue-i18n';
import type { SocietyAgent, SocietyParty } from '@/generated/calls';
import { ROOT } from './model';

export function useNames(agents: MaybeRefOrGetter<readonly SocietyAgent[]>) {
  const { t } = useI18n();
  // As text it is the same until somebody is hired: what shows names is not drawn anew at each step of each agent.
  const roles = computed(() => JSON.stringify(toValue(agents).map(({ id, role }) => [id, role])));
  const roleOf = computed(() => new Map<number, string | null>(JSON.parse(roles.value)));

  function ofAgent(id: number): string {
    if (id === ROOT) return t('agents.root');
    const role = roleOf.value.get(id) ?? undefined;
    return role === undefined ? t('agents.agent', { id }) : t('agents.named', { role, id });
  }

  function of(party: SocietyParty): string {
    if (party === 'user') return t('agents.you');
    if (party === 'society') return t('agents.society');
    return ofAgent(party.agent);
  }

  return { of, ofAgent };
}

export type Names = ReturnType<typeof useNames>;
