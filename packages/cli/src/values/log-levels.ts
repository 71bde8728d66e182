import type { LoggingLevel } from 'crosspoint/client';

/** The levels of log messages, least severe first. */
export const LOG_LEVELS: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];
