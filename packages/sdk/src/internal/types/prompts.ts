/** Prompts: message templates that a server offers. */
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
import { ContentBlockSchema, RoleSchema, type ContentBlock, type Role } from './content.ts';
import { BaseMetadataSchema, IconsSchema, type BaseMetadata, type Icons } from './lifecycle.ts';
import type { AnyObject, LooseOf, MessageOf, ObjectOf } from './schema-of.ts';

export type PromptArgument = {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  required?: boolean | undefined;
};
export type Prompt = BaseMetadata &
  Icons & {
    description?: string | undefined;
    arguments?: PromptArgument[] | undefined;
    _meta?: AnyObject | undefined;
  };
export type PromptMessage = { role: Role; content: ContentBlock };

export const PromptArgumentSchema: ObjectOf<PromptArgument> = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  required: z.boolean().optional(),
});
export const PromptSchema: ObjectOf<Prompt> = z.object({
  ...BaseMetadataSchema.shape,
  ...IconsSchema.shape,
  description: z.string().optional(),
  arguments: z.array(PromptArgumentSchema).optional(),
  _meta: z.looseObject({}).optional(),
});
export const PromptMessageSchema: ObjectOf<PromptMessage> = z.object({ role: RoleSchema, content: ContentBlockSchema });

export type ListPromptsRequest = { method: 'prompts/list'; params?: PaginatedRequestParams | undefined };
export type ListPromptsResult = PaginatedResult & { prompts: Prompt[] };
export type GetPromptRequestParams = {
  _meta?: RequestMeta | undefined;
  name: string;
  arguments?: { [key: string]: string } | undefined;
};
export type GetPromptRequest = { method: 'prompts/get'; params: GetPromptRequestParams };
export type GetPromptResult = Result & { description?: string | undefined; messages: PromptMessage[] };

export const ListPromptsRequestSchema: PageOf<'prompts/list'> = message(
  'prompts/list',
  PaginatedRequestParamsSchema.optional(),
);
export const ListPromptsResultSchema: LooseOf<ListPromptsResult> = PaginatedResultSchema.extend({
  prompts: z.array(PromptSchema),
});
export const GetPromptRequestParamsSchema: ObjectOf<GetPromptRequestParams> = BaseRequestParamsSchema.extend({
  name: z.string(),
  arguments: z.record(z.string(), z.string()).optional(),
});
export const GetPromptRequestSchema: MessageOf<'prompts/get', typeof GetPromptRequestParamsSchema> = message(
  'prompts/get',
  GetPromptRequestParamsSchema,
);
export const GetPromptResultSchema: LooseOf<GetPromptResult> = ResultSchema.extend({
  description: z.string().optional(),
  messages: z.array(PromptMessageSchema),
});

export type PromptListChangedNotification = {
  method: 'notifications/prompts/list_changed';
  params?: NotificationParams | undefined;
};

export const PromptListChangedNotificationSchema: BareOf<'notifications/prompts/list_changed'> = message(
  'notifications/prompts/list_changed',
  NotificationsParamsSchema.optional(),
);
