/** Resources: data that a server lets its clients read. */
import * as z from 'zod/v4';
import {
  BaseRequestParamsSchema,
  NotificationsParamsSchema,
  PaginatedRequestParamsSchema,
  PaginatedResultSchema,
  ResultSchema,
  message,
  type BareOf,
  type NotificationParams,
  type PageOf,
  type PaginatedRequestParams,
  type PaginatedResult,
  type RequestMeta,
  type Result,
} from './base.ts';
import {
  AnnotationsSchema,
  ResourceSchema,
  resourceContentsUnion,
  type Annotations,
  type BlobResourceContents,
  type Resource,
  type TextResourceContents,
} from './content.ts';
import { BaseMetadataSchema, IconsSchema, type BaseMetadata, type Icons } from './lifecycle.ts';
import type { AnyObject, LooseOf, MessageOf, ObjectOf } from './schema-of.ts';

export type ResourceTemplate = BaseMetadata &
  Icons & {
    uriTemplate: string;
    description?: string | undefined;
    mimeType?: string | undefined;
    annotations?: Annotations | undefined;
    _meta?: AnyObject | undefined;
  };

export const ResourceTemplateSchema: ObjectOf<ResourceTemplate> = z.object({
  ...BaseMetadataSchema.shape,
  ...IconsSchema.shape,
  uriTemplate: z.string(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
  annotations: AnnotationsSchema.optional(),
  _meta: z.looseObject({}).optional(),
});

export type ListResourcesRequest = { method: 'resources/list'; params?: PaginatedRequestParams | undefined };
export type ListResourcesResult = PaginatedResult & { resources: Resource[] };
export type ListResourceTemplatesRequest = {
  method: 'resources/templates/list';
  params?: PaginatedRequestParams | undefined;
};
export type ListResourceTemplatesResult = PaginatedResult & { resourceTemplates: ResourceTemplate[] };

export const ListResourcesRequestSchema: PageOf<'resources/list'> = message(
  'resources/list',
  PaginatedRequestParamsSchema.optional(),
);
export const ListResourcesResultSchema: LooseOf<ListResourcesResult> = PaginatedResultSchema.extend({
  resources: z.array(ResourceSchema),
});
export const ListResourceTemplatesRequestSchema: PageOf<'resources/templates/list'> = message(
  'resources/templates/list',
  PaginatedRequestParamsSchema.optional(),
);
export const ListResourceTemplatesResultSchema: LooseOf<ListResourceTemplatesResult> = PaginatedResultSchema.extend({
  resourceTemplates: z.array(ResourceTemplateSchema),
});

export type ResourceRequestParams = { _meta?: RequestMeta | undefined; uri: string };
export type ReadResourceRequestParams = ResourceRequestParams;
export type ReadResourceRequest = { method: 'resources/read'; params: ReadResourceRequestParams };
export type ReadResourceResult = Result & { contents: (TextResourceContents | BlobResourceContents)[] };

export const ResourceRequestParamsSchema: ObjectOf<ResourceRequestParams> = BaseRequestParamsSchema.extend({
  uri: z.string(),
});
export const ReadResourceRequestParamsSchema: typeof ResourceRequestParamsSchema = ResourceRequestParamsSchema;
export const ReadResourceRequestSchema: MessageOf<'resources/read', typeof ReadResourceRequestParamsSchema> = message(
  'resources/read',
  ReadResourceRequestParamsSchema,
);
export const ReadResourceResultSchema: LooseOf<ReadResourceResult> = ResultSchema.extend({
  contents: z.array(resourceContentsUnion),
});

export type SubscribeRequestParams = ResourceRequestParams;
export type SubscribeRequest = { method: 'resources/subscribe'; params: SubscribeRequestParams };
export type UnsubscribeRequestParams = ResourceRequestParams;
export type UnsubscribeRequest = { method: 'resources/unsubscribe'; params: UnsubscribeRequestParams };

export const SubscribeRequestParamsSchema: typeof ResourceRequestParamsSchema = ResourceRequestParamsSchema;
export const SubscribeRequestSchema: MessageOf<'resources/subscribe', typeof SubscribeRequestParamsSchema> = message(
  'resources/subscribe',
  SubscribeRequestParamsSchema,
);
export const UnsubscribeRequestParamsSchema: typeof ResourceRequestParamsSchema = ResourceRequestParamsSchema;
export const UnsubscribeRequestSchema: MessageOf<'resources/unsubscribe', typeof UnsubscribeRequestParamsSchema> =
  message('resources/unsubscribe', UnsubscribeRequestParamsSchema);

export type ResourceListChangedNotification = {
  method: 'notifications/resources/list_changed';
  params?: NotificationParams | undefined;
};
export type ResourceUpdatedNotificationParams = { _meta?: RequestMeta | undefined; uri: string };
export type ResourceUpdatedNotification = {
  method: 'notifications/resources/updated';
  params: ResourceUpdatedNotificationParams;
};

export const ResourceListChangedNotificationSchema: BareOf<'notifications/resources/list_changed'> = message(
  'notifications/resources/list_changed',
  NotificationsParamsSchema.optional(),
);
export const ResourceUpdatedNotificationParamsSchema: ObjectOf<ResourceUpdatedNotificationParams> =
  NotificationsParamsSchema.extend({ uri: z.string() });
export const ResourceUpdatedNotificationSchema: MessageOf<
  'notifications/resources/updated',
  typeof ResourceUpdatedNotificationParamsSchema
> = message('notifications/resources/updated', ResourceUpdatedNotificationParamsSchema);
