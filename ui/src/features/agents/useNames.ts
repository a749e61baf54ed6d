/** What those who speak are called. */

import { toValue, type MaybeRefOrGetter } from 'vue';
import { useI18n } from 'vue-i18n';
import type { SocietyAgent, SocietyParty } from '@/generated/calls';
import { ROOT } from './model';

export function useNames(agents: MaybeRefOrGetter<readonly SocietyAgent[]>) {
  const { t } = useI18n();

  function ofAgent(id: number): string {
    if (id === ROOT) return t('agents.root');
    const role = toValue(agents).find((agent) => agent.id === id)?.role;
    return role === undefined ? t('agents.agent', { id }) : t('agents.named', { role, id });
  }

  function of(party: SocietyParty): string {
    if (party === 'user') return t('agents.you');
    if (party === 'society') return t('agents.society');
    return ofAgent(party.agent);
  }

  return { of, ofAgent };
}
