/** All messages of either side. */
import * as z from 'zod/v4';
import { EmptyResultSchema, type EmptyResult } from './base.ts';
import {
  CompleteRequestSchema,
  CompleteResultSchema,
  type CompleteRequest,
  type CompleteResult,
} from './completion.ts';
import {
  ElicitRequestSchema,
  ElicitResultSchema,
  ElicitationCompleteNotificationSchema,
  type ElicitRequest,
  type ElicitResult,
  type ElicitationCompleteNotification,
} from './elicitation.ts';
import {
  CancelledNotificationSchema,
  InitializeRequestSchema,
  InitializeResultSchema,
  InitializedNotificationSchema,
  PingRequestSchema,
  ProgressNotificationSchema,
  type CancelledNotification,
  type InitializeRequest,
  type InitializeResult,
  type InitializedNotification,
  type PingRequest,
  type ProgressNotification,
} from './lifecycle.ts';
import {
  LoggingMessageNotificationSchema,
  SetLevelRequestSchema,
  type LoggingMessageNotification,
  type SetLevelRequest,
} from './logging.ts';
import {
  GetPromptRequestSchema,
  GetPromptResultSchema,
  ListPromptsRequestSchema,
  ListPromptsResultSchema,
  PromptListChangedNotificationSchema,
  type GetPromptRequest,
  type GetPromptResult,
  type ListPromptsRequest,
  type ListPromptsResult,
  type PromptListChangedNotification,
} from './prompts.ts';
import {
  ListResourceTemplatesRequestSchema,
  ListResourceTemplatesResultSchema,
  ListResourcesRequestSchema,
  ListResourcesResultSchema,
  ReadResourceRequestSchema,
  ReadResourceResultSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  type ListResourceTemplatesRequest,
  type ListResourceTemplatesResult,
  type ListResourcesRequest,
  type ListResourcesResult,
  type ReadResourceRequest,
  type ReadResourceResult,
  type ResourceListChangedNotification,
  type ResourceUpdatedNotification,
  type SubscribeRequest,
  type UnsubscribeRequest,
} from './resources.ts';
import {
  ListRootsRequestSchema,
  ListRootsResultSchema,
  RootsListChangedNotificationSchema,
  type ListRootsRequest,
  type ListRootsResult,
  type RootsListChangedNotification,
} from './roots.ts';
import {
  CreateMessageRequestSchema,
  CreateMessageResultSchema,
  CreateMessageResultWithToolsSchema,
  type CreateMessageRequest,
  type CreateMessageResult,
  type CreateMessageResultWithTools,
} from './sampling.ts';
import type { UnionOf } from './schema-of.ts';
import {
  CancelTaskRequestSchema,
  CreateTaskResultSchema,
  GetTaskPayloadRequestSchema,
  GetTaskRequestSchema,
  GetTaskResultSchema,
  ListTasksRequestSchema,
  ListTasksResultSchema,
  TaskStatusNotificationSchema,
  type CancelTaskRequest,
  type CreateTaskResult,
  type GetTaskPayloadRequest,
  type GetTaskRequest,
  type GetTaskResult,
  type ListTasksRequest,
  type ListTasksResult,
  type TaskStatusNotification,
} from './tasks.ts';
import {
  CallToolRequestSchema,
  CallToolResultSchema,
  ListToolsRequestSchema,
  ListToolsResultSchema,
  ToolListChangedNotificationSchema,
  type CallToolRequest,
  type CallToolResult,
  type ListToolsRequest,
  type ListToolsResult,
  type ToolListChangedNotification,
} from './tools.ts';

type TaskRequest = GetTaskRequest | GetTaskPayloadRequest | ListTasksRequest | CancelTaskRequest;

export type ClientRequest =
  | PingRequest
  | InitializeRequest
  | CompleteRequest
  | SetLevelRequest
  | GetPromptRequest
  | ListPromptsRequest
  | ListResourcesRequest
  | ListResourceTemplatesRequest
  | ReadResourceRequest
  | SubscribeRequest
  | UnsubscribeRequest
  | CallToolRequest
  | ListToolsRequest
  | TaskRequest;
export type ClientNotification =
  | CancelledNotification
  | ProgressNotification
  | InitializedNotification
  | RootsListChangedNotification
  | TaskStatusNotification;
export type ClientResult =
  | EmptyResult
  | CreateMessageResult
  | CreateMessageResultWithTools
  | ElicitResult
  | ListRootsResult
  | GetTaskResult
  | ListTasksResult
  | CreateTaskResult;
export type ServerRequest = PingRequest | CreateMessageRequest | ElicitRequest | ListRootsRequest | TaskRequest;
export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | LoggingMessageNotification
  | ResourceUpdatedNotification
  | ResourceListChangedNotification
  | ToolListChangedNotification
  | PromptListChangedNotification
  | TaskStatusNotification
  | ElicitationCompleteNotification;
export type ServerResult =
  | EmptyResult
  | InitializeResult
  | CompleteResult
  | GetPromptResult
  | ListPromptsResult
  | ListResourcesResult
  | ListResourceTemplatesResult
  | ReadResourceResult
  | CallToolResult
  | ListToolsResult
  | GetTaskResult
  | ListTasksResult
  | CreateTaskResult;

/** All messages of a side as one schema; the options are tried in turn. */
type OneOf<T> = UnionOf<readonly z.ZodType<T>[]>;
/** All requests or notifications of a side; `option.shape.method.value` is the method of each. */
type OneMessageOf<T> = UnionOf<
  readonly (z.ZodType<T> & { readonly shape: { readonly method: { readonly value: string } } })[]
>;

export const ClientRequestSchema: OneMessageOf<ClientRequest> = z.union([
  PingRequestSchema,
  InitializeRequestSchema,
  CompleteRequestSchema,
  SetLevelRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  CallToolRequestSchema,
  ListToolsRequestSchema,
  GetTaskRequestSchema,
  GetTaskPayloadRequestSchema,
  ListTasksRequestSchema,
  CancelTaskRequestSchema,
]);
export const ClientNotificationSchema: OneMessageOf<ClientNotification> = z.union([
  CancelledNotificationSchema,
  ProgressNotificationSchema,
  InitializedNotificationSchema,
  RootsListChangedNotificationSchema,
  TaskStatusNotificationSchema,
]);
export const ClientResultSchema: OneOf<ClientResult> = z.union([
  EmptyResultSchema,
  CreateMessageResultSchema,
  CreateMessageResultWithToolsSchema,
  ElicitResultSchema,
  ListRootsResultSchema,
  GetTaskResultSchema,
  ListTasksResultSchema,
  CreateTaskResultSchema,
]);
export const ServerRequestSchema: OneMessageOf<ServerRequest> = z.union([
  PingRequestSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  GetTaskRequestSchema,
  GetTaskPayloadRequestSchema,
  ListTasksRequestSchema,
  CancelTaskRequestSchema,
]);
export const ServerNotificationSchema: OneMessageOf<ServerNotification> = z.union([
  CancelledNotificationSchema,
  ProgressNotificationSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
  PromptListChangedNotificationSchema,
  TaskStatusNotificationSchema,
  ElicitationCompleteNotificationSchema,
]);
export const ServerResultSchema: OneOf<ServerResult> = z.union([
  EmptyResultSchema,
  InitializeResultSchema,
  CompleteResultSchema,
  GetPromptResultSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ReadResourceResultSchema,
  CallToolResultSchema,
  ListToolsResultSchema,
  GetTaskResultSchema,
  ListTasksResultSchema,
  CreateTaskResultSchema,
]);
