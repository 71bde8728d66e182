import type * as types from './types.ts';

export { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR } from 'crosspoint';
export { JSONRPC_VERSION } from './types.ts';
export type {
  Annotations,
  AudioContent,
  BaseMetadata,
  BlobResourceContents,
  BooleanSchema,
  CallToolRequestParams,
  CallToolResult,
  CancelTaskResult,
  CancelledNotificationParams,
  ClientCapabilities,
  ClientResult,
  CompleteRequestParams,
  CompleteResult,
  ContentBlock,
  CreateMessageRequestParams,
  CreateMessageResult,
  CreateTaskResult,
  Cursor,
  ElicitRequestFormParams,
  ElicitRequestParams,
  ElicitRequestURLParams,
  ElicitResult,
  EmbeddedResource,
  EmptyResult,
  EnumSchema,
  GetPromptRequestParams,
  GetPromptResult,
  GetTaskPayloadResult,
  GetTaskResult,
  Icon,
  Icons,
  ImageContent,
  Implementation,
  InitializeRequestParams,
  InitializeResult,
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
  JSONRPCResultResponse,
  LegacyTitledEnumSchema,
  ListPromptsResult,
  ListResourceTemplatesResult,
  ListResourcesResult,
  ListRootsResult,
  ListTasksResult,
  ListToolsResult,
  LoggingLevel,
  LoggingMessageNotificationParams,
  ModelHint,
  ModelPreferences,
  MultiSelectEnumSchema,
  Notification,
  NotificationParams,
  NumberSchema,
  PaginatedRequestParams,
  PaginatedResult,
  PrimitiveSchemaDefinition,
  ProgressNotificationParams,
  ProgressToken,
  Prompt,
  PromptArgument,
  PromptMessage,
  PromptReference,
  ReadResourceRequestParams,
  ReadResourceResult,
  RelatedTaskMetadata,
  Request,
  RequestId,
  RequestParams,
  Resource,
  ResourceContents,
  ResourceLink,
  ResourceRequestParams,
  ResourceTemplate,
  ResourceTemplateReference,
  ResourceUpdatedNotificationParams,
  Result,
  Role,
  Root,
  SamplingMessage,
  SamplingMessageContentBlock,
  ServerCapabilities,
  ServerResult,
  SetLevelRequestParams,
  SingleSelectEnumSchema,
  StringSchema,
  SubscribeRequestParams,
  Task,
  TaskAugmentedRequestParams,
  TaskMetadata,
  TaskStatus,
  TaskStatusNotificationParams,
  TextContent,
  TextResourceContents,
  TitledMultiSelectEnumSchema,
  TitledSingleSelectEnumSchema,
  Tool,
  ToolAnnotations,
  ToolChoice,
  ToolExecution,
  ToolResultContent,
  ToolUseContent,
  UnsubscribeRequestParams,
  UntitledMultiSelectEnumSchema,
  UntitledSingleSelectEnumSchema,
} from './types.ts';

/** A request as it is on the wire; `types.js` has it without its envelope. */
type Sent<Message> = Message & { jsonrpc: '2.0'; id: types.RequestId };
/** A notification as it is on the wire. */
type Told<Message> = Message & { jsonrpc: '2.0' };

export type CallToolRequest = Sent<types.CallToolRequest>;
export type CancelTaskRequest = Sent<types.CancelTaskRequest>;
export type ClientRequest = Sent<types.ClientRequest>;
export type CompleteRequest = Sent<types.CompleteRequest>;
/** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
export type CreateMessageRequest = Sent<types.CreateMessageRequest>;
export type ElicitRequest = Sent<types.ElicitRequest>;
export type GetPromptRequest = Sent<types.GetPromptRequest>;
export type GetTaskPayloadRequest = Sent<types.GetTaskPayloadRequest>;
export type GetTaskRequest = Sent<types.GetTaskRequest>;
export type InitializeRequest = Sent<types.InitializeRequest>;
export type ListPromptsRequest = Sent<types.ListPromptsRequest>;
export type ListResourceTemplatesRequest = Sent<types.ListResourceTemplatesRequest>;
export type ListResourcesRequest = Sent<types.ListResourcesRequest>;
/** @deprecated by SEP-2577; the earliest revision without roots is the first on or after 2027-07-28. */
export type ListRootsRequest = Sent<types.ListRootsRequest>;
export type ListTasksRequest = Sent<types.ListTasksRequest>;
export type ListToolsRequest = Sent<types.ListToolsRequest>;
export type PaginatedRequest = Sent<types.PaginatedRequest>;
export type PingRequest = Sent<types.PingRequest>;
export type ReadResourceRequest = Sent<types.ReadResourceRequest>;
export type ServerRequest = Sent<types.ServerRequest>;
/** @deprecated by SEP-2577; the earliest revision without logging is the first on or after 2027-07-28. */
export type SetLevelRequest = Sent<types.SetLevelRequest>;
export type SubscribeRequest = Sent<types.SubscribeRequest>;
export type UnsubscribeRequest = Sent<types.UnsubscribeRequest>;

export type CancelledNotification = Told<types.CancelledNotification>;
export type ClientNotification = Told<types.ClientNotification>;
export type ElicitationCompleteNotification = Told<types.ElicitationCompleteNotification>;
export type InitializedNotification = Told<types.InitializedNotification>;
/** @deprecated by SEP-2577; the earliest revision without logging is the first on or after 2027-07-28. */
export type LoggingMessageNotification = Told<types.LoggingMessageNotification>;
export type ProgressNotification = Told<types.ProgressNotification>;
export type PromptListChangedNotification = Told<types.PromptListChangedNotification>;
export type ResourceListChangedNotification = Told<types.ResourceListChangedNotification>;
export type ResourceUpdatedNotification = Told<types.ResourceUpdatedNotification>;
/** @deprecated by SEP-2577; the earliest revision without roots is the first on or after 2027-07-28. */
export type RootsListChangedNotification = Told<types.RootsListChangedNotification>;
export type ServerNotification = Told<types.ServerNotification>;
export type TaskStatusNotification = Told<types.TaskStatusNotification>;
export type ToolListChangedNotification = Told<types.ToolListChangedNotification>;

/** The draft that the official file of this name was generated from. What is spoken is `LATEST_PROTOCOL_VERSION` of `types.js`. */
export const LATEST_PROTOCOL_VERSION = 'DRAFT-2026-v1';
/** The code of an error that asks the client to open an address first. */
export const URL_ELICITATION_REQUIRED: -32042 = -32_042;

/** The error of a JSON-RPC response. */
export interface Error {
  code: number;
  message: string;
  data?: unknown;
}

export interface URLElicitationRequiredError extends Omit<types.JSONRPCErrorResponse, 'error'> {
  error: Error & {
    code: typeof URL_ELICITATION_REQUIRED;
    data: { elicitations: types.ElicitRequestURLParams[]; [key: string]: unknown };
  };
}
