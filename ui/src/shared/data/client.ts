import { QueryClient } from '@tanstack/vue-query';

/**
 * The cache. The owner is on this machine and says by events what changed, so nothing goes
 * stale by age, and a failure is shown at once instead of being retried behind a spinner.
 */
export function queryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Infinity,
        retry: false,
        refetchOnWindowFocus: false,
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
