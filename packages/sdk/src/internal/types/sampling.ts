/**
 * Sampling: requests of a server to the client's model. Deprecated by SEP-2577; the earliest revision without sampling is the first on or
 * after 2027-07-28.
 */
import * as z from 'zod/v4';
import {
  ResultSchema,
  TaskAugmentedRequestParamsSchema,
  anyObject,
  message,
  metaSchema,
  type Result,
  type TaskAugmentedRequestParams,
} from './base.ts';
import {
  AudioContentSchema,
  ContentBlockSchema,
  ImageContentSchema,
  RoleSchema,
  TextContentSchema,
  type AudioContent,
  type ContentBlock,
  type ImageContent,
  type Role,
  type TextContent,
} from './content.ts';
import type { AnyObject, LooseOf, MessageOf, ObjectOf, UnionOf } from './schema-of.ts';
import { ToolSchema, anyStructure, type Tool } from './tools.ts';

/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export type ModelHint = { name?: string | undefined };
/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export type ModelPreferences = {
  hints?: ModelHint[] | undefined;
  costPriority?: number | undefined;
  speedPriority?: number | undefined;
  intelligencePriority?: number | undefined;
};
/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export type ToolChoice = { mode?: 'auto' | 'required' | 'none' | undefined };

const share = z.number().min(0).max(1);

/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export const ModelHintSchema: ObjectOf<ModelHint> = z.object({ name: z.string().optional() });
/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export const ModelPreferencesSchema: ObjectOf<ModelPreferences> = z.object({
  hints: z.array(ModelHintSchema).optional(),
  costPriority: share.optional(),
  speedPriority: share.optional(),
  intelligencePriority: share.optional(),
});
/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export const ToolChoiceSchema: ObjectOf<ToolChoice> = z.object({
  mode: z.enum(['auto', 'required', 'none']).optional(),
});

/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export type ToolUseContent = {
  type: 'tool_use';
  name: string;
  id: string;
  input: AnyObject;
  _meta?: AnyObject | undefined;
};
/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export type ToolResultContent = {
  type: 'tool_result';
  toolUseId: string;
  content: ContentBlock[];
  structuredContent?: AnyObject | undefined;
  isError?: boolean | undefined;
  _meta?: AnyObject | undefined;
};

/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export const ToolUseContentSchema: ObjectOf<ToolUseContent> = z.object({
  type: z.literal('tool_use'),
  name: z.string(),
  id: z.string(),
  input: metaSchema,
  _meta: metaSchema.optional(),
});
/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export const ToolResultContentSchema: ObjectOf<ToolResultContent> = z.object({
  type: z.literal('tool_result'),
  toolUseId: z.string(),
  content: z.array(ContentBlockSchema).default([]),
  structuredContent: anyStructure.optional(),
  isError: z.boolean().optional(),
  _meta: metaSchema.optional(),
});

/**
 * Content of a result without tools.
 * @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28.
 */
export type SamplingContent = TextContent | ImageContent | AudioContent;
/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export type SamplingMessageContentBlock = SamplingContent | ToolUseContent | ToolResultContent;
/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export type SamplingMessage = {
  role: Role;
  content: SamplingMessageContentBlock | SamplingMessageContentBlock[];
  _meta?: AnyObject | undefined;
};

/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export const SamplingContentSchema: z.ZodType<SamplingContent> = z.discriminatedUnion('type', [
  TextContentSchema,
  ImageContentSchema,
  AudioContentSchema,
]);
/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export const SamplingMessageContentBlockSchema: z.ZodType<SamplingMessageContentBlock> = z.discriminatedUnion('type', [
  TextContentSchema,
  ImageContentSchema,
  AudioContentSchema,
  ToolUseContentSchema,
  ToolResultContentSchema,
]);

const oneBlockOrMore: UnionOf<
  readonly [typeof SamplingMessageContentBlockSchema, z.ZodArray<typeof SamplingMessageContentBlockSchema>]
> = z.union([SamplingMessageContentBlockSchema, z.array(SamplingMessageContentBlockSchema)]);

/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export const SamplingMessageSchema: ObjectOf<SamplingMessage> = z.object({
  role: RoleSchema,
  content: oneBlockOrMore,
  _meta: metaSchema.optional(),
});

/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export type CreateMessageRequestParams = TaskAugmentedRequestParams & {
  messages: SamplingMessage[];
  modelPreferences?: ModelPreferences | undefined;
  systemPrompt?: string | undefined;
  /** @deprecated `thisServer` and `allServers` are deprecated by SEP-2596; the earliest removal is the first revision on or after 2027-07-28. */
  includeContext?: 'none' | 'thisServer' | 'allServers' | undefined;
  temperature?: number | undefined;
  maxTokens: number;
  stopSequences?: string[] | undefined;
  metadata?: AnyObject | undefined;
  tools?: Tool[] | undefined;
  toolChoice?: ToolChoice | undefined;
};
/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export type CreateMessageRequestParamsBase = Omit<CreateMessageRequestParams, 'tools' | 'toolChoice'>;
/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export type CreateMessageRequestParamsWithTools = Omit<CreateMessageRequestParams, 'tools'> & { tools: Tool[] };
/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export type CreateMessageRequest = { method: 'sampling/createMessage'; params: CreateMessageRequestParams };

type Answer<Content> = Result & { model: string; stopReason?: string | undefined; role: Role; content: Content };

/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export type CreateMessageResult = Answer<SamplingContent>;
/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export type CreateMessageResultWithTools = Answer<SamplingMessageContentBlock | SamplingMessageContentBlock[]>;

/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export const CreateMessageRequestParamsSchema: ObjectOf<CreateMessageRequestParams> =
  TaskAugmentedRequestParamsSchema.extend({
    messages: z.array(SamplingMessageSchema),
    modelPreferences: ModelPreferencesSchema.optional(),
    systemPrompt: z.string().optional(),
    includeContext: z.enum(['none', 'thisServer', 'allServers']).optional(),
    temperature: z.number().optional(),
    maxTokens: z.number().int(),
    stopSequences: z.array(z.string()).optional(),
    metadata: anyObject.optional(),
    tools: z.array(ToolSchema).optional(),
    toolChoice: ToolChoiceSchema.optional(),
  });
/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export const CreateMessageRequestSchema: MessageOf<'sampling/createMessage', typeof CreateMessageRequestParamsSchema> =
  message('sampling/createMessage', CreateMessageRequestParamsSchema);

const answer = { model: z.string(), stopReason: z.string().optional(), role: RoleSchema };

/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export const CreateMessageResultSchema: LooseOf<CreateMessageResult> = ResultSchema.extend({
  ...answer,
  content: SamplingContentSchema,
});
/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export const CreateMessageResultWithToolsSchema: LooseOf<CreateMessageResultWithTools> = ResultSchema.extend({
  ...answer,
  content: oneBlockOrMore,
});
