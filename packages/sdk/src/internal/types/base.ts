/** Types shared by all messages: ids, tokens, `_meta`, and the bases that programs extend for their own methods. */
import * as z from 'zod/v4';
import type { AnyObject, LooseOf, MessageOf, ObjectOf, UnionOf } from './schema-of.ts';

/** Key in `_meta` for the task that a message belongs to. */
export const RELATED_TASK_META_KEY = 'io.modelcontextprotocol/related-task' as const;

export type ProgressToken = string | number;
export type Cursor = string;
export type RequestId = string | number;

export const ProgressTokenSchema: UnionOf<readonly [z.ZodString, z.ZodNumber]> = z.union([
  z.string(),
  z.number().int(),
]);
export const CursorSchema: z.ZodString = z.string();
export const RequestIdSchema: UnionOf<readonly [z.ZodString, z.ZodNumber]> = z.union([z.string(), z.number().int()]);

/** Some peers send an empty array for an object without members. */
export const anyObject: z.ZodType<AnyObject> = z.custom<AnyObject>(
  (value) => value !== null && (typeof value === 'object' || typeof value === 'function'),
);
export const metaSchema: z.ZodRecord<z.ZodString, z.ZodUnknown> = z.record(z.string(), z.unknown());

export type RelatedTaskMetadata = { taskId: string };

export const RelatedTaskMetadataSchema: ObjectOf<RelatedTaskMetadata> = z.object({ taskId: z.string() });

export type RequestMeta = {
  [key: string]: unknown;
  progressToken?: ProgressToken | undefined;
  [RELATED_TASK_META_KEY]?: RelatedTaskMetadata | undefined;
};

export const RequestMetaSchema: LooseOf<RequestMeta> = z.looseObject({
  progressToken: ProgressTokenSchema.optional(),
  [RELATED_TASK_META_KEY]: RelatedTaskMetadataSchema.optional(),
});

export type RequestParams = { _meta?: RequestMeta | undefined };
export type NotificationParams = { _meta?: RequestMeta | undefined };

export const BaseRequestParamsSchema: ObjectOf<RequestParams> = z.object({ _meta: RequestMetaSchema.optional() });
export const NotificationsParamsSchema: ObjectOf<NotificationParams> = BaseRequestParamsSchema;

export type Request = {
  method: string;
  params?: { [key: string]: unknown; _meta?: RequestMeta | undefined } | undefined;
};
export type Notification = {
  method: string;
  params?: { [key: string]: unknown; _meta?: RequestMeta | undefined } | undefined;
};
export type Result = { [key: string]: unknown; _meta?: RequestMeta | undefined };

type OpenMessageSchema = z.ZodObject<{ method: z.ZodString; params: z.ZodOptional<LooseOf<RequestParams>> }>;

export const RequestSchema: OpenMessageSchema = z.object({
  method: z.string(),
  params: BaseRequestParamsSchema.loose().optional(),
});
export const NotificationSchema: OpenMessageSchema = z.object({
  method: z.string(),
  params: NotificationsParamsSchema.loose().optional(),
});
export const ResultSchema: LooseOf<Result> = z.looseObject({ _meta: RequestMetaSchema.optional() });

/** The schema of one kind of request or notification. */
export function message<Method extends string, Params extends z.ZodType>(
  method: Method,
  params: Params,
): MessageOf<Method, Params> {
  return z.object({ method: z.literal(method), params });
}

export type EmptyResult = { _meta?: RequestMeta | undefined };

export const EmptyResultSchema: z.ZodObject<(typeof ResultSchema)['shape'], z.core.$strict> = ResultSchema.strict();

export type PaginatedRequestParams = { _meta?: RequestMeta | undefined; cursor?: Cursor | undefined };
export type PaginatedRequest = { method: string; params?: PaginatedRequestParams | undefined };
export type PaginatedResult = Result & { nextCursor?: Cursor | undefined };

export const PaginatedRequestParamsSchema: ObjectOf<PaginatedRequestParams> = BaseRequestParamsSchema.extend({
  cursor: CursorSchema.optional(),
});
export const PaginatedRequestSchema: z.ZodObject<{
  method: z.ZodString;
  params: z.ZodOptional<typeof PaginatedRequestParamsSchema>;
}> = z.object({ method: z.string(), params: PaginatedRequestParamsSchema.optional() });
export const PaginatedResultSchema: LooseOf<PaginatedResult> = ResultSchema.extend({
  nextCursor: CursorSchema.optional(),
});

/** The schema of a request for one page of a list. */
export type PageOf<Method extends string> = MessageOf<Method, z.ZodOptional<typeof PaginatedRequestParamsSchema>>;
/** The schema of a message that needs no params. */
export type BareOf<Method extends string> = MessageOf<Method, z.ZodOptional<typeof BaseRequestParamsSchema>>;

export type TaskMetadata = { ttl?: number | undefined };
export type TaskCreationParams = {
  [key: string]: unknown;
  ttl?: number | undefined;
  pollInterval?: number | undefined;
};
export type TaskAugmentedRequestParams = { _meta?: RequestMeta | undefined; task?: TaskMetadata | undefined };

export const TaskMetadataSchema: ObjectOf<TaskMetadata> = z.object({ ttl: z.number().optional() });
export const TaskCreationParamsSchema: LooseOf<TaskCreationParams> = z.looseObject({
  ttl: z.number().optional(),
  pollInterval: z.number().optional(),
});
export const TaskAugmentedRequestParamsSchema: ObjectOf<TaskAugmentedRequestParams> = BaseRequestParamsSchema.extend({
  task: TaskMetadataSchema.optional(),
});
