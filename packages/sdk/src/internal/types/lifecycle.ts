/** Opening a connection, and messages allowed at any time. */
import * as z from 'zod/v4';
import {
  BaseRequestParamsSchema,
  NotificationsParamsSchema,
  ProgressTokenSchema,
  RequestIdSchema,
  ResultSchema,
  message,
  type BareOf,
  type NotificationParams,
  type ProgressToken,
  type RequestId,
  type RequestMeta,
  type RequestParams,
  type Result,
} from './base.ts';
import {
  ClientCapabilitiesSchema,
  ServerCapabilitiesSchema,
  type ClientCapabilities,
  type ServerCapabilities,
} from './capabilities.ts';
import type { LooseOf, MessageOf, ObjectOf } from './schema-of.ts';

export type Icon = {
  src: string;
  mimeType?: string | undefined;
  sizes?: string[] | undefined;
  theme?: 'light' | 'dark' | undefined;
};
export type Icons = { icons?: Icon[] | undefined };
export type BaseMetadata = { name: string; title?: string | undefined };
export type Implementation = BaseMetadata &
  Icons & { version: string; websiteUrl?: string | undefined; description?: string | undefined };

export const IconSchema: ObjectOf<Icon> = z.object({
  src: z.string(),
  mimeType: z.string().optional(),
  sizes: z.array(z.string()).optional(),
  theme: z.enum(['light', 'dark']).optional(),
});
export const IconsSchema: ObjectOf<Icons> = z.object({ icons: z.array(IconSchema).optional() });
export const BaseMetadataSchema: ObjectOf<BaseMetadata> = z.object({ name: z.string(), title: z.string().optional() });
export const ImplementationSchema: ObjectOf<Implementation> = z.object({
  ...BaseMetadataSchema.shape,
  ...IconsSchema.shape,
  version: z.string(),
  websiteUrl: z.string().optional(),
  description: z.string().optional(),
});

export type InitializeRequestParams = {
  _meta?: RequestMeta | undefined;
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
};
export type InitializeRequest = { method: 'initialize'; params: InitializeRequestParams };
export type InitializeResult = Result & {
  protocolVersion: string;
  capabilities: ServerCapabilities;
  serverInfo: Implementation;
  instructions?: string | undefined;
};
export type InitializedNotification = {
  method: 'notifications/initialized';
  params?: NotificationParams | undefined;
};

export const InitializeRequestParamsSchema: ObjectOf<InitializeRequestParams> = BaseRequestParamsSchema.extend({
  protocolVersion: z.string(),
  capabilities: ClientCapabilitiesSchema,
  clientInfo: ImplementationSchema,
});
export const InitializeRequestSchema: MessageOf<'initialize', typeof InitializeRequestParamsSchema> = message(
  'initialize',
  InitializeRequestParamsSchema,
);
export const InitializeResultSchema: LooseOf<InitializeResult> = ResultSchema.extend({
  protocolVersion: z.string(),
  capabilities: ServerCapabilitiesSchema,
  serverInfo: ImplementationSchema,
  instructions: z.string().optional(),
});
export const InitializedNotificationSchema: BareOf<'notifications/initialized'> = message(
  'notifications/initialized',
  NotificationsParamsSchema.optional(),
);

export type PingRequest = { method: 'ping'; params?: RequestParams | undefined };

export const PingRequestSchema: BareOf<'ping'> = message('ping', BaseRequestParamsSchema.optional());

export type CancelledNotificationParams = {
  _meta?: RequestMeta | undefined;
  requestId?: RequestId | undefined;
  reason?: string | undefined;
};
export type CancelledNotification = { method: 'notifications/cancelled'; params: CancelledNotificationParams };

export const CancelledNotificationParamsSchema: ObjectOf<CancelledNotificationParams> =
  NotificationsParamsSchema.extend({ requestId: RequestIdSchema.optional(), reason: z.string().optional() });
export const CancelledNotificationSchema: MessageOf<
  'notifications/cancelled',
  typeof CancelledNotificationParamsSchema
> = message('notifications/cancelled', CancelledNotificationParamsSchema);

export type Progress = { progress: number; total?: number | undefined; message?: string | undefined };
export type ProgressNotificationParams = Progress & {
  _meta?: RequestMeta | undefined;
  progressToken: ProgressToken;
};
export type ProgressNotification = { method: 'notifications/progress'; params: ProgressNotificationParams };

export const ProgressSchema: ObjectOf<Progress> = z.object({
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
});
export const ProgressNotificationParamsSchema: ObjectOf<ProgressNotificationParams> = z.object({
  ...NotificationsParamsSchema.shape,
  ...ProgressSchema.shape,
  progressToken: ProgressTokenSchema,
});
export const ProgressNotificationSchema: MessageOf<'notifications/progress', typeof ProgressNotificationParamsSchema> =
  message('notifications/progress', ProgressNotificationParamsSchema);
