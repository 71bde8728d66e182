/** Log messages of a server. Deprecated by SEP-2577; the earliest revision without logging is the first on or after 2027-07-28. */
import * as z from 'zod/v4';
import { BaseRequestParamsSchema, NotificationsParamsSchema, message, type RequestMeta } from './base.ts';
import type { MessageOf, ObjectOf } from './schema-of.ts';

/** @deprecated by SEP-2577; the earliest revision without logging is the first on or after 2027-07-28. */
export type LoggingLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';
/** @deprecated by SEP-2577; the earliest revision without logging is the first on or after 2027-07-28. */
export type SetLevelRequestParams = { _meta?: RequestMeta | undefined; level: LoggingLevel };
/** @deprecated by SEP-2577; the earliest revision without logging is the first on or after 2027-07-28. */
export type SetLevelRequest = { method: 'logging/setLevel'; params: SetLevelRequestParams };
/** @deprecated by SEP-2577; the earliest revision without logging is the first on or after 2027-07-28. */
export type LoggingMessageNotificationParams = {
  _meta?: RequestMeta | undefined;
  level: LoggingLevel;
  logger?: string | undefined;
  data: unknown;
};
/** @deprecated by SEP-2577; the earliest revision without logging is the first on or after 2027-07-28. */
export type LoggingMessageNotification = {
  method: 'notifications/message';
  params: LoggingMessageNotificationParams;
};

/** @deprecated by SEP-2577; the earliest revision without logging is the first on or after 2027-07-28. */
export const LoggingLevelSchema: z.ZodEnum<{ [Level in LoggingLevel]: Level }> = z.enum([
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]);
/** @deprecated by SEP-2577; the earliest revision without logging is the first on or after 2027-07-28. */
export const SetLevelRequestParamsSchema: ObjectOf<SetLevelRequestParams> = BaseRequestParamsSchema.extend({
  level: LoggingLevelSchema,
});
/** @deprecated by SEP-2577; the earliest revision without logging is the first on or after 2027-07-28. */
export const SetLevelRequestSchema: MessageOf<'logging/setLevel', typeof SetLevelRequestParamsSchema> = message(
  'logging/setLevel',
  SetLevelRequestParamsSchema,
);
/** @deprecated by SEP-2577; the earliest revision without logging is the first on or after 2027-07-28. */
export const LoggingMessageNotificationParamsSchema: ObjectOf<LoggingMessageNotificationParams> =
  NotificationsParamsSchema.extend({ level: LoggingLevelSchema, logger: z.string().optional(), data: z.unknown() });
/** @deprecated by SEP-2577; the earliest revision without logging is the first on or after 2027-07-28. */
export const LoggingMessageNotificationSchema: MessageOf<
  'notifications/message',
  typeof LoggingMessageNotificationParamsSchema
> = message('notifications/message', LoggingMessageNotificationParamsSchema);
