import { computed, ref } from 'vue';
import { isFiltered, NO_FILTER, type Filter } from './rows';

/** What the list is narrowed to; it lasts as long as the page, so that coming back finds it. */
const search = ref('');
const filter = ref<Filter>(NO_FILTER);
const narrowed = computed(() => search.value.trim() !== '' || isFiltered(filter.value));

export function useToolFilter() {
  return { search, filter, narrowed, clear };
}

function clear() {
  search.value = '';
  filter.value = NO_FILTER;
}
