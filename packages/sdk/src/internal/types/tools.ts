/** Tools: functions that a server lets a model call. */
import * as z from 'zod/v4';
import {
  NotificationsParamsSchema,
  PaginatedRequestParamsSchema,
  PaginatedResultSchema,
  ResultSchema,
  TaskAugmentedRequestParamsSchema,
  anyObject,
  message,
  metaSchema,
  type BareOf,
  type NotificationParams,
  type PageOf,
  type PaginatedRequestParams,
  type PaginatedResult,
  type Result,
  type TaskAugmentedRequestParams,
} from './base.ts';
import { ContentBlockSchema, type ContentBlock, type Resource } from './content.ts';
import { BaseMetadataSchema, IconsSchema, type BaseMetadata, type Icons } from './lifecycle.ts';
import type { Prompt } from './prompts.ts';
import type { AnyObject, LooseOf, MessageOf, ObjectOf, UnionOf } from './schema-of.ts';

/** Hints, not guarantees: a host must not rely on those of an untrusted server. */
export type ToolAnnotations = {
  title?: string | undefined;
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
  openWorldHint?: boolean | undefined;
};
export type ToolExecution = { taskSupport?: 'required' | 'optional' | 'forbidden' | undefined };

type ObjectJsonSchema = {
  [key: string]: unknown;
  type: 'object';
  properties?: { [key: string]: object } | undefined;
  required?: string[] | undefined;
};

export type Tool = BaseMetadata &
  Icons & {
    description?: string | undefined;
    inputSchema: ObjectJsonSchema;
    outputSchema?: ObjectJsonSchema | undefined;
    annotations?: ToolAnnotations | undefined;
    execution?: ToolExecution | undefined;
    _meta?: AnyObject | undefined;
  };

export const ToolAnnotationsSchema: ObjectOf<ToolAnnotations> = z.object({
  title: z.string().optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});
export const ToolExecutionSchema: ObjectOf<ToolExecution> = z.object({
  taskSupport: z.enum(['required', 'optional', 'forbidden']).optional(),
});

const objectJsonSchema: LooseOf<ObjectJsonSchema> = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), anyObject).optional(),
  required: z.array(z.string()).optional(),
});

/**
 * Servers of the newest revision send any JSON value, not only objects. The schemas accept that, so that one such tool does not make a list
 * unreadable; the types say what v1 programs were written for.
 */
const anyJsonSchema = metaSchema as z.ZodType as z.ZodType<ObjectJsonSchema>;
export const anyStructure: z.ZodType<AnyObject> = z.unknown() as z.ZodType as z.ZodType<AnyObject>;

export const ToolSchema: ObjectOf<Tool> = z.object({
  ...BaseMetadataSchema.shape,
  ...IconsSchema.shape,
  description: z.string().optional(),
  inputSchema: objectJsonSchema,
  outputSchema: anyJsonSchema.optional(),
  annotations: ToolAnnotationsSchema.optional(),
  execution: ToolExecutionSchema.optional(),
  _meta: metaSchema.optional(),
});

export type ListToolsRequest = { method: 'tools/list'; params?: PaginatedRequestParams | undefined };
export type ListToolsResult = PaginatedResult & { tools: Tool[] };

export const ListToolsRequestSchema: PageOf<'tools/list'> = message(
  'tools/list',
  PaginatedRequestParamsSchema.optional(),
);
export const ListToolsResultSchema: LooseOf<ListToolsResult> = PaginatedResultSchema.extend({
  tools: z.array(ToolSchema),
});

export type CallToolRequestParams = TaskAugmentedRequestParams & { name: string; arguments?: AnyObject | undefined };
export type CallToolRequest = { method: 'tools/call'; params: CallToolRequestParams };
export type CallToolResult = Result & {
  content: ContentBlock[];
  structuredContent?: AnyObject | undefined;
  /** Absent means success. */
  isError?: boolean | undefined;
};
/** Includes the result before the first revision, which had one value instead of content. */
export type CompatibilityCallToolResult = CallToolResult | (Result & { toolResult: unknown });

export const CallToolRequestParamsSchema: ObjectOf<CallToolRequestParams> = TaskAugmentedRequestParamsSchema.extend({
  name: z.string(),
  arguments: metaSchema.optional(),
});
export const CallToolRequestSchema: MessageOf<'tools/call', typeof CallToolRequestParamsSchema> = message(
  'tools/call',
  CallToolRequestParamsSchema,
);
/** Absent content counts as empty: some servers send structured content alone. */
export const CallToolResultSchema: LooseOf<CallToolResult> = ResultSchema.extend({
  content: z.array(ContentBlockSchema).default([]),
  structuredContent: anyStructure.optional(),
  isError: z.boolean().optional(),
});
export const CompatibilityCallToolResultSchema: UnionOf<
  readonly [typeof CallToolResultSchema, LooseOf<Result & { toolResult: unknown }>]
> = z.union([CallToolResultSchema, ResultSchema.extend({ toolResult: z.unknown() })]);

export type ToolListChangedNotification = {
  method: 'notifications/tools/list_changed';
  params?: NotificationParams | undefined;
};

export const ToolListChangedNotificationSchema: BareOf<'notifications/tools/list_changed'> = message(
  'notifications/tools/list_changed',
  NotificationsParamsSchema.optional(),
);

/**
 * Called when a list has changed: with the new items, with the error from fetching them, or with `null` for both when nothing is fetched.
 */
export type ListChangedCallback<T> = (error: Error | null, items: T[] | null) => void;
export type ListChangedOptions<T> = {
  /** Whether to fetch the new list; `true` when absent. */
  autoRefresh?: boolean;
  /** Milliseconds in which several changes are merged into one call; 300 when absent. */
  debounceMs?: number;
  onChanged: ListChangedCallback<T>;
};
export type ListChangedHandlers = {
  tools?: ListChangedOptions<Tool>;
  prompts?: ListChangedOptions<Prompt>;
  resources?: ListChangedOptions<Resource>;
};

export const ListChangedOptionsBaseSchema: ObjectOf<{ autoRefresh: boolean; debounceMs: number }> = z.object({
  autoRefresh: z.boolean().default(true),
  debounceMs: z.number().int().nonnegative().default(300),
});
