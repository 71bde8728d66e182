/** The part that both sides share: the protocol's types, its errors, and the supported revisions. */
import { assumedRevision, revisions } from './revisions/index.ts';
import type { Family } from './revisions/revision.ts';

/** Every revision this library speaks, newest first. */
export const protocolRevisions: readonly { readonly id: string; readonly family: Family }[] = revisions.map(
  ({ id, family }) => ({ id, family }),
);

export type { Family } from './revisions/revision.ts';
export type { ClientCapabilities, ServerCapabilities } from './protocol/capabilities.ts';
export { createSecret } from './runtime/secret.ts';
export type { CompleteResult } from './protocol/completion.ts';
export {
  resourceContents,
  text,
  type Annotations,
  type AudioContent,
  type BlobResourceContents,
  type ContentBlock,
  type EmbeddedResource,
  type ImageContent,
  type ResourceContents,
  type ResourceLink,
  type Role,
  type TextContent,
  type TextResourceContents,
} from './protocol/content.ts';
export { defineExtension } from './extensions/define-extension.ts';
export { declares, type Extension } from './extensions/extension.ts';
export { tasksExtension } from './extensions/tasks/tasks-extension.ts';
export type { ElicitResult } from './protocol/elicitation/elicitation.ts';
export { ProtocolError, ToolError, TransportError, isProtocolError, type FaultKind } from './protocol/errors.ts';
export type { Icon, Implementation } from './protocol/implementation.ts';
export type { CacheScope } from './protocol/listing.ts';
export type { LoggingLevel } from './protocol/logging.ts';
export type { Middleware, Next, Operation } from './protocol/operation.ts';
export type { Outcome } from './protocol/outcome.ts';
export type { GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage } from './protocol/prompts.ts';
export type {
  ListResourceTemplatesResult,
  ListResourcesResult,
  ReadResourceResult,
  Resource,
} from './protocol/resources.ts';
export type { ListRootsResult, Root } from './protocol/roots.ts';
export type {
  CreateMessageResult,
  ModelPreferences,
  SamplingContent,
  SamplingMessage,
  ToolResultContent,
  ToolUseContent,
} from './protocol/sampling.ts';
export {
  effectiveAnnotations,
  type CallToolResult,
  type ListToolsResult,
  type Tool,
  type ToolAnnotations,
} from './protocol/tools.ts';
export { isTerminal, type ListTasksResult, type Task, type TaskStatus } from './protocol/tasks.ts';
export type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
  JSONRPCResultResponse,
  JsonObject,
  RequestId,
} from './jsonrpc/message.ts';
export type { AuthInfo, MessageExtraInfo, Transport, TransportSendOptions } from './transports/transport.ts';
export { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR } from './jsonrpc/codes.ts';
export {
  MissingRequiredClientCapabilityError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  SdkErrorCode,
  UnsupportedProtocolVersionError,
  UrlElicitationRequiredError,
  type MissingRequiredClientCapabilityErrorData,
  type UnsupportedProtocolVersionErrorData,
} from './protocol/messages/error-classes.ts';
export { TransportError as SdkError } from './protocol/errors.ts';
export { SdkHttpError, type SdkHttpErrorData } from './transports/http/client/http-error.ts';
export { createFetchWithInit } from './transports/http/client/fetch-with-init.ts';
export { isJson as isJsonContentType } from './transports/http/server/guards/media.ts';
export type { FetchLike } from './transports/http/client/options.ts';
export type { RequestHandlerExtra as ClientContext } from './client/answering/handlers.ts';
export type { ListChangedCallback, ListChangedHandlers, ListChangedOptions } from './client/watching/list-refresher.ts';
export type { DiscoverResult } from './client/connecting/server-facts.ts';
export type { ServerContext } from './server/calls/context.ts';
export type { RequestStateAccessor } from './server/calls/mcp-request-view.ts';
export type { Progress } from './peer/progress.ts';
export { InMemoryTransport } from './transports/memory/in-memory-transport.ts';
export { mergeCapabilities } from './protocol/merge-capabilities.ts';
export {
  META_CLIENT_CAPABILITIES as CLIENT_CAPABILITIES_META_KEY,
  META_CLIENT_INFO as CLIENT_INFO_META_KEY,
  META_LOG_LEVEL as LOG_LEVEL_META_KEY,
  META_PROTOCOL_VERSION as PROTOCOL_VERSION_META_KEY,
  META_RELATED_TASK as RELATED_TASK_META_KEY,
  META_SERVER_INFO as SERVER_INFO_META_KEY,
  META_SUBSCRIPTION_ID as SUBSCRIPTION_ID_META_KEY,
} from './protocol/meta.ts';
export {
  JSONRPC_VERSION,
  assertCompleteRequestPrompt,
  assertCompleteRequestResourceTemplate,
  deserializeMessage,
  isCallToolResult,
  isInitializeRequest,
  isInitializedNotification,
  isInputRequiredResult,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  isJSONRPCResultResponse,
  isTaskAugmentedRequestParams,
  parseJSONRPCMessage,
  serializeMessage,
} from './protocol/messages/message-guards.ts';
export { displayName as getDisplayName } from './protocol/tools.ts';
export { UriTemplate, type Variables } from './wire/uri-template.ts';
export type {
  BooleanSchema,
  EnumSchema,
  LegacyTitledEnumSchema,
  MultiSelectEnumSchema,
  NumberSchema,
  PrimitiveSchemaDefinition,
  SingleSelectEnumSchema,
  StringSchema,
  TitledMultiSelectEnumSchema,
  TitledSingleSelectEnumSchema,
  UntitledMultiSelectEnumSchema,
  UntitledSingleSelectEnumSchema,
} from './protocol/elicitation/form-types.ts';
export type {
  BaseMetadata,
  CacheHint,
  CallToolRequest,
  CallToolRequestParams,
  CancelTaskRequest,
  CancelTaskResult,
  CancelledNotification,
  CancelledNotificationParams,
  ClientNotification,
  ClientRequest,
  ClientResult,
  CompatibilityCallToolResult,
  CompleteRequest,
  CompleteRequestParams,
  CompleteRequestPrompt,
  CompleteRequestResourceTemplate,
  CreateMessageRequest,
  CreateMessageRequestParams,
  CreateMessageRequestParamsBase,
  CreateMessageRequestParamsWithTools,
  CreateMessageResultWithTools,
  CreateTaskResult,
  Cursor,
  DiscoverRequest,
  ElicitRequest,
  ElicitRequestFormParams,
  ElicitRequestParams,
  ElicitRequestURLParams,
  ElicitationCompleteNotification,
  ElicitationCompleteNotificationParams,
  EmptyResult,
  GetPromptRequest,
  GetPromptRequestParams,
  GetTaskPayloadRequest,
  GetTaskPayloadResult,
  GetTaskRequest,
  GetTaskResult,
  HandlerResultTypeMap,
  Icons,
  InitializeRequest,
  InitializeRequestParams,
  InitializeResult,
  InitializedNotification,
  InputRequest,
  InputRequests,
  InputRequiredResult,
  InputResponse,
  InputResponses,
  InternalError,
  InvalidParamsError,
  InvalidRequestError,
  JSONArray,
  JSONObject,
  JSONValue,
  ListPromptsRequest,
  ListResourceTemplatesRequest,
  ListResourcesRequest,
  ListRootsRequest,
  ListTasksRequest,
  ListToolsRequest,
  LoggingMessageNotification,
  LoggingMessageNotificationParams,
  MaybePromise,
  MessageClassification,
  MetaObject,
  MethodNotFoundError,
  ModelHint,
  Notification,
  NotificationMethod,
  NotificationOptions,
  NotificationParams,
  NotificationTypeMap,
  PaginatedRequest,
  PaginatedRequestParams,
  PaginatedResult,
  ParseError,
  PingRequest,
  ProgressNotification,
  ProgressNotificationParams,
  ProgressToken,
  PromptListChangedNotification,
  PromptReference,
  ProtocolEra,
  ProtocolOptions,
  ReadResourceRequest,
  ReadResourceRequestParams,
  RelatedTaskMetadata,
  Request,
  RequestMeta,
  RequestMetaEnvelope,
  RequestMetaObject,
  RequestMethod,
  RequestParams,
  RequestTypeMap,
  ResourceListChangedNotification,
  ResourceRequestParams,
  ResourceTemplateReference,
  ResourceTemplateType,
  ResourceUpdatedNotification,
  ResourceUpdatedNotificationParams,
  Result,
  ResultMetaObject,
  ResultTypeMap,
  RootsListChangedNotification,
  SamplingMessageContentBlock,
  ServerNotification,
  ServerRequest,
  ServerResult,
  SetLevelRequest,
  SetLevelRequestParams,
  SubscribeRequest,
  SubscribeRequestParams,
  SubscriptionFilter,
  SubscriptionsAcknowledgedNotification,
  SubscriptionsAcknowledgedNotificationParams,
  SubscriptionsListenRequest,
  SubscriptionsListenRequestParams,
  SubscriptionsListenResult,
  SubscriptionsListenResultMeta,
  TaskAugmentedRequestParams,
  TaskCreationParams,
  TaskMetadata,
  TaskStatusNotification,
  TaskStatusNotificationParams,
  ToolChoice,
  ToolExecution,
  ToolListChangedNotification,
  UnsubscribeRequest,
  UnsubscribeRequestParams,
} from './protocol/messages/message-types.ts';

/** The keys of the trace context in `_meta`. */
export const TRACEPARENT_META_KEY = 'traceparent';
export const TRACESTATE_META_KEY = 'tracestate';
export const BAGGAGE_META_KEY = 'baggage';

/** Default idle timeout of a request, in milliseconds. */
export const DEFAULT_REQUEST_TIMEOUT_MSEC = 60_000;

const handshake: readonly string[] = revisions.filter(({ family }) => family === 'handshake').map(({ id }) => id);

/** The newest revision with a handshake, under the official SDK's name. */
export const LATEST_PROTOCOL_VERSION: string = handshake[0] ?? assumedRevision.id;
/** The revision of an HTTP request that names none. */
export const DEFAULT_NEGOTIATED_PROTOCOL_VERSION: string = assumedRevision.id;
/** The revisions with a handshake, newest first. The newest of all is not among them: it is not negotiated. */
export const SUPPORTED_PROTOCOL_VERSIONS: readonly string[] = handshake;
