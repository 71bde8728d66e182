/** Whole messages, by the names of the specification's schema. Types only. */
import type { JsonObject, RequestId } from '../../jsonrpc/message.ts';
import type { ClientCapabilities, ServerCapabilities } from '../capabilities.ts';
import type { CompleteParams, CompleteResult, CompletionReference } from '../completion.ts';
import type { ElicitFormParams, ElicitParams, ElicitResult, ElicitUrlParams } from '../elicitation/elicitation.ts';
import type { Icon, Implementation } from '../implementation.ts';
import type { CacheScope } from '../listing.ts';
import type { LoggingLevel, LoggingMessage } from '../logging.ts';
import type { GetPromptResult, ListPromptsResult } from '../prompts.ts';
import type {
  ListResourceTemplatesResult,
  ListResourcesResult,
  ReadResourceResult,
  ResourceTemplateDefinition,
} from '../resources.ts';
import type { ListRootsResult } from '../roots.ts';
import type { CreateMessageParams, CreateMessageResult, SamplingContent } from '../sampling.ts';
import type { ListTasksResult, Task } from '../tasks.ts';
import type { CallToolParams, CallToolResult, ListToolsResult, TaskSupport } from '../tools.ts';

export type JSONValue = string | number | boolean | null | JSONObject | JSONArray;
export type JSONObject = { [key: string]: JSONValue };
export type JSONArray = JSONValue[];

export type ProgressToken = RequestId;
export type Cursor = string;
export type MetaObject = JsonObject;
export type RequestMetaObject = { progressToken?: ProgressToken; [key: string]: unknown };
export type RequestMeta = RequestMetaObject;
export type ResultMetaObject = JsonObject;
/** The facts about the client that a request of the per-request family carries in `_meta`. */
export type RequestMetaEnvelope = {
  'io.modelcontextprotocol/protocolVersion': string;
  'io.modelcontextprotocol/clientCapabilities': ClientCapabilities;
  'io.modelcontextprotocol/clientInfo'?: Implementation;
  'io.modelcontextprotocol/logLevel'?: LoggingLevel;
};

export interface RequestParams {
  _meta?: RequestMeta;
}
export interface NotificationParams {
  _meta?: MetaObject;
}
export interface Request {
  method: string;
  params?: RequestParams & JsonObject;
}
export interface Notification {
  method: string;
  params?: NotificationParams & JsonObject;
}
export interface Result {
  _meta?: ResultMetaObject;
  [key: string]: unknown;
}
export type EmptyResult = Result;
export interface PaginatedRequestParams extends RequestParams {
  cursor?: Cursor;
}
export interface PaginatedRequest extends Request {
  params?: PaginatedRequestParams & JsonObject;
}
export interface PaginatedResult extends Result {
  nextCursor?: Cursor;
}

interface Message<Method extends string, Params> {
  method: Method;
  params: Params;
}
interface Bare<Method extends string, Params = RequestParams> {
  method: Method;
  params?: Params;
}
type Notice<Method extends string> = Bare<Method, NotificationParams>;

export interface BaseMetadata {
  name: string;
  title?: string;
}
export interface Icons {
  icons?: Icon[];
}

// ---- opening

export interface InitializeRequestParams extends RequestParams {
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
}
export type InitializeRequest = Message<'initialize', InitializeRequestParams>;
export interface InitializeResult extends Result {
  protocolVersion: string;
  capabilities: ServerCapabilities;
  serverInfo: Implementation;
  instructions?: string;
}
export type InitializedNotification = Notice<'notifications/initialized'>;
export type DiscoverRequest = Bare<'server/discover'>;
export type PingRequest = Bare<'ping'>;

export interface CancelledNotificationParams extends NotificationParams {
  requestId?: RequestId;
  reason?: string;
}
export type CancelledNotification = Message<'notifications/cancelled', CancelledNotificationParams>;
export interface ProgressNotificationParams extends NotificationParams {
  progressToken: ProgressToken;
  progress: number;
  total?: number;
  message?: string;
}
export type ProgressNotification = Message<'notifications/progress', ProgressNotificationParams>;

// ---- tools, resources, prompts, completion, logging

export type CallToolRequestParams = CallToolParams;
export type CallToolRequest = Message<'tools/call', CallToolRequestParams>;
/** A tool result as the oldest revision had it, with a single value. */
export type CompatibilityCallToolResult = CallToolResult | (Result & { toolResult: unknown });
export type ListToolsRequest = Bare<'tools/list', PaginatedRequestParams>;
export type ToolListChangedNotification = Notice<'notifications/tools/list_changed'>;
export interface ToolExecution {
  taskSupport?: TaskSupport;
}
export interface ToolChoice {
  mode?: 'auto' | 'required' | 'none';
}

export interface ResourceRequestParams extends RequestParams {
  uri: string;
}
export type ReadResourceRequestParams = ResourceRequestParams;
export type SubscribeRequestParams = ResourceRequestParams;
export type UnsubscribeRequestParams = ResourceRequestParams;
export type ListResourcesRequest = Bare<'resources/list', PaginatedRequestParams>;
export type ListResourceTemplatesRequest = Bare<'resources/templates/list', PaginatedRequestParams>;
export type ReadResourceRequest = Message<'resources/read', ReadResourceRequestParams>;
export type SubscribeRequest = Message<'resources/subscribe', SubscribeRequestParams>;
export type UnsubscribeRequest = Message<'resources/unsubscribe', UnsubscribeRequestParams>;
export type ResourceListChangedNotification = Notice<'notifications/resources/list_changed'>;
export interface ResourceUpdatedNotificationParams extends NotificationParams {
  uri: string;
}
export type ResourceUpdatedNotification = Message<'notifications/resources/updated', ResourceUpdatedNotificationParams>;
export type ResourceTemplateType = ResourceTemplateDefinition;

export interface GetPromptRequestParams extends RequestParams {
  name: string;
  arguments?: Record<string, string>;
}
export type GetPromptRequest = Message<'prompts/get', GetPromptRequestParams>;
export type ListPromptsRequest = Bare<'prompts/list', PaginatedRequestParams>;
export type PromptListChangedNotification = Notice<'notifications/prompts/list_changed'>;

export type PromptReference = Extract<CompletionReference, { type: 'ref/prompt' }>;
export type ResourceTemplateReference = Extract<CompletionReference, { type: 'ref/resource' }>;
export type CompleteRequestParams = CompleteParams;
export type CompleteRequest = Message<'completion/complete', CompleteRequestParams>;
export type CompleteRequestPrompt = Message<'completion/complete', CompleteRequestParams & { ref: PromptReference }>;
export type CompleteRequestResourceTemplate = Message<
  'completion/complete',
  CompleteRequestParams & { ref: ResourceTemplateReference }
>;

/** @deprecated Logging is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export interface SetLevelRequestParams extends RequestParams {
  level: LoggingLevel;
}
/** @deprecated Logging is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export type SetLevelRequest = Message<'logging/setLevel', SetLevelRequestParams>;
/** @deprecated Logging is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export type LoggingMessageNotificationParams = NotificationParams & LoggingMessage;
/** @deprecated Logging is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export type LoggingMessageNotification = Message<'notifications/message', LoggingMessageNotificationParams>;

// ---- questions to the client

/** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export type CreateMessageRequestParams = CreateMessageParams;
/** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export type CreateMessageRequestParamsBase = Omit<CreateMessageParams, 'tools' | 'toolChoice'>;
/** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export type CreateMessageRequestParamsWithTools = CreateMessageParams & Required<Pick<CreateMessageParams, 'tools'>>;
/** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export type CreateMessageRequest = Message<'sampling/createMessage', CreateMessageRequestParams>;
/** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export type CreateMessageResultWithTools = CreateMessageResult;
/** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export type SamplingMessageContentBlock = SamplingContent;
export interface ModelHint {
  name?: string;
}
/** @deprecated Roots are deprecated by SEP-2577; the earliest revision without them is the first on or after 2027-07-28. */
export type ListRootsRequest = Bare<'roots/list'>;
/** @deprecated Roots are deprecated by SEP-2577; the earliest revision without them is the first on or after 2027-07-28. */
export type RootsListChangedNotification = Notice<'notifications/roots/list_changed'>;

export type ElicitRequestFormParams = ElicitFormParams;
export type ElicitRequestURLParams = ElicitUrlParams;
export type ElicitRequestParams = ElicitParams;
export type ElicitRequest = Message<'elicitation/create', ElicitRequestParams>;
export interface ElicitationCompleteNotificationParams extends NotificationParams {
  elicitationId: string;
}
export type ElicitationCompleteNotification = Message<
  'notifications/elicitation/complete',
  ElicitationCompleteNotificationParams
>;

export type InputRequest = ElicitRequest | CreateMessageRequest | ListRootsRequest;
export type InputRequests = Record<string, InputRequest>;
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;
export type InputResponses = Record<string, InputResponse>;
/** The result that ends a call with questions, in the per-request family. */
export interface InputRequiredResult extends Result {
  resultType: 'input_required';
  inputRequests?: InputRequests;
  requestState?: string;
}

// ---- streams of notifications

export interface SubscriptionsListenRequestParams extends RequestParams {
  notifications: {
    toolsListChanged?: boolean;
    promptsListChanged?: boolean;
    resourcesListChanged?: boolean;
    resourceSubscriptions?: string[];
  };
}
export type SubscriptionsListenRequest = Message<'subscriptions/listen', SubscriptionsListenRequestParams>;
export type SubscriptionsListenResultMeta = { 'io.modelcontextprotocol/subscriptionId'?: RequestId } & JsonObject;
export interface SubscriptionsListenResult extends Result {
  _meta?: SubscriptionsListenResultMeta;
}
export type SubscriptionsAcknowledgedNotificationParams = NotificationParams &
  Pick<SubscriptionsListenRequestParams, 'notifications'>;
export type SubscriptionsAcknowledgedNotification = Message<
  'notifications/subscriptions/acknowledged',
  SubscriptionsAcknowledgedNotificationParams
>;

// ---- tasks

export interface TaskMetadata {
  ttl?: number;
}
export interface TaskCreationParams {
  ttl?: number | null;
  pollInterval?: number;
}
export interface TaskAugmentedRequestParams extends RequestParams {
  task?: TaskMetadata;
}
export interface RelatedTaskMetadata {
  taskId: string;
}
interface TaskRequestParams extends RequestParams {
  taskId: string;
}
export type GetTaskRequest = Message<'tasks/get', TaskRequestParams>;
export type GetTaskPayloadRequest = Message<'tasks/result', TaskRequestParams>;
export type CancelTaskRequest = Message<'tasks/cancel', TaskRequestParams>;
export type ListTasksRequest = Bare<'tasks/list', PaginatedRequestParams>;
export type GetTaskResult = Result & Task;
export type CancelTaskResult = Result & Task;
export type GetTaskPayloadResult = Result;
export interface CreateTaskResult extends Result {
  task: Task;
}
export type TaskStatusNotificationParams = NotificationParams & Task;
export type TaskStatusNotification = Message<'notifications/tasks/status', TaskStatusNotificationParams>;

// ---- everything by method

export interface RequestTypeMap {
  initialize: InitializeRequest;
  ping: PingRequest;
  'server/discover': DiscoverRequest;
  'tools/list': ListToolsRequest;
  'tools/call': CallToolRequest;
  'resources/list': ListResourcesRequest;
  'resources/templates/list': ListResourceTemplatesRequest;
  'resources/read': ReadResourceRequest;
  'resources/subscribe': SubscribeRequest;
  'resources/unsubscribe': UnsubscribeRequest;
  'prompts/list': ListPromptsRequest;
  'prompts/get': GetPromptRequest;
  'completion/complete': CompleteRequest;
  'logging/setLevel': SetLevelRequest;
  'subscriptions/listen': SubscriptionsListenRequest;
  'sampling/createMessage': CreateMessageRequest;
  'elicitation/create': ElicitRequest;
  'roots/list': ListRootsRequest;
  'tasks/get': GetTaskRequest;
  'tasks/result': GetTaskPayloadRequest;
  'tasks/cancel': CancelTaskRequest;
  'tasks/list': ListTasksRequest;
}
export type RequestMethod = keyof RequestTypeMap;

export interface ResultTypeMap {
  initialize: InitializeResult;
  ping: EmptyResult;
  'server/discover': Result;
  'tools/list': ListToolsResult;
  'tools/call': CallToolResult;
  'resources/list': ListResourcesResult;
  'resources/templates/list': ListResourceTemplatesResult;
  'resources/read': ReadResourceResult;
  'resources/subscribe': EmptyResult;
  'resources/unsubscribe': EmptyResult;
  'prompts/list': ListPromptsResult;
  'prompts/get': GetPromptResult;
  'completion/complete': CompleteResult;
  'logging/setLevel': EmptyResult;
  'subscriptions/listen': SubscriptionsListenResult;
  'sampling/createMessage': CreateMessageResult;
  'elicitation/create': ElicitResult;
  'roots/list': ListRootsResult;
  'tasks/get': GetTaskResult;
  'tasks/result': GetTaskPayloadResult;
  'tasks/cancel': CancelTaskResult;
  'tasks/list': ListTasksResult;
}
/** The result that the handler of a method may return. */
export type HandlerResultTypeMap = {
  [Method in RequestMethod]:
    | ResultTypeMap[Method]
    | (Method extends 'tools/call' | 'prompts/get' | 'resources/read' ? InputRequiredResult : never);
};

export interface NotificationTypeMap {
  'notifications/initialized': InitializedNotification;
  'notifications/cancelled': CancelledNotification;
  'notifications/progress': ProgressNotification;
  'notifications/message': LoggingMessageNotification;
  'notifications/tools/list_changed': ToolListChangedNotification;
  'notifications/resources/list_changed': ResourceListChangedNotification;
  'notifications/resources/updated': ResourceUpdatedNotification;
  'notifications/prompts/list_changed': PromptListChangedNotification;
  'notifications/roots/list_changed': RootsListChangedNotification;
  'notifications/elicitation/complete': ElicitationCompleteNotification;
  'notifications/subscriptions/acknowledged': SubscriptionsAcknowledgedNotification;
  'notifications/tasks/status': TaskStatusNotification;
}
export type NotificationMethod = keyof NotificationTypeMap;

type AskedOfClient = 'ping' | 'sampling/createMessage' | 'elicitation/create' | 'roots/list' | TaskMethod;
type TaskMethod = 'tasks/get' | 'tasks/result' | 'tasks/cancel' | 'tasks/list';
type AskedOfServer = Exclude<RequestMethod, 'sampling/createMessage' | 'elicitation/create' | 'roots/list'>;
type ToldByEither = 'notifications/cancelled' | 'notifications/progress' | 'notifications/tasks/status';
type ToldByClient = 'notifications/initialized' | 'notifications/roots/list_changed';

export type ClientRequest = RequestTypeMap[AskedOfServer];
export type ServerRequest = RequestTypeMap[AskedOfClient];
export type ClientResult = ResultTypeMap[AskedOfClient];
export type ServerResult = ResultTypeMap[AskedOfServer];
export type ClientNotification = NotificationTypeMap[ToldByClient | ToldByEither];
export type ServerNotification = NotificationTypeMap[Exclude<NotificationMethod, ToldByClient>];

// ---- errors as they cross the wire

interface WireError<Code extends number> {
  code: Code;
  message: string;
  data?: unknown;
}
export type ParseError = WireError<-32700>;
export type InvalidRequestError = WireError<-32600>;
export type MethodNotFoundError = WireError<-32601>;
export type InvalidParamsError = WireError<-32602>;
export type InternalError = WireError<-32603>;

/** The notifications that a `subscriptions/listen` stream carries. */
export type SubscriptionFilter = SubscriptionsListenRequestParams['notifications'];
export interface NotificationOptions {
  /** The incoming request that the notification belongs to. */
  relatedRequestId?: RequestId;
}
/** Options that both sides take. */
export interface ProtocolOptions {
  debouncedNotificationMethods?: readonly string[];
}
export type MaybePromise<T> = T | Promise<T>;

/** How long a result may be reused, in milliseconds, and by whom. */
export interface CacheHint {
  ttlMs?: number;
  cacheScope?: CacheScope;
}
/** `legacy` opens with a handshake; `modern` sends its facts with each request. */
export type ProtocolEra = 'legacy' | 'modern';
export interface MessageClassification {
  era: ProtocolEra;
  revision?: string;
}
