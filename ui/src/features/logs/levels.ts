import type { LogCounts, LogLevel } from '@/generated/calls';

/** The most serious first, as the chips stand. */
export const LEVELS = ['ERROR', 'WARN', 'INFO', 'DEBUG'] as const satisfies readonly LogLevel[];

/** What the owner calls the level in its counts, and the page in its words. */
export const COUNT_OF: Record<LogLevel, keyof LogCounts> = {
  ERROR: 'error',
  WARN: 'warn',
  INFO: 'info',
  DEBUG: 'debug',
};

export const NO_COUNTS: LogCounts = { debug: 0, info: 0, warn: 0, error: 0 };
