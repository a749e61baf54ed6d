import { useI18n } from 'vue-i18n';
import { STATES, type Group } from './rows';

/** How a value of a group is called; tags and authors are called what they are. */
export function useFilterWords(): (group: Group, value: string) => string {
  const { t } = useI18n();
  return (group, value) => {
    if (group === 'origin') return t(`tools.origin.${value}`);
    // A state of a newer owner has no word here and is shown as it is called.
    if (group === 'state' && STATES.some((state) => state === value)) {
      return t(`tools.state.${value}`);
    }
    return value;
  };
}
