import type { JsonObject } from '../jsonrpc/message.ts';

/**
 * Syslog's names, least severe first.
 * @deprecated Logging is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28.
 */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** @deprecated Logging is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export type LoggingLevel = (typeof LOG_LEVELS)[number];

/** @deprecated Logging is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export interface LoggingMessage {
  level: LoggingLevel;
  logger?: string;
  data: unknown;
  _meta?: JsonObject;
}

export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return LOG_LEVELS.includes(value as LoggingLevel);
}

/** Whether a message of `level` passes the `threshold`. */
export function isAtLeast(level: LoggingLevel, threshold: LoggingLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(threshold);
}
