export { formFault, getSupportedElicitationModes } from './answering/ask-checks.ts';
export { CacheStore, type CacheOptions } from './calls/cache.ts';
export { Client } from './client-by-address.ts';
export type { ConnectOptions } from './connecting/connect-options.ts';
export type { HttpTarget } from './connecting/connecting.ts';
export { chooseModel, type AvailableModel } from './answering/choose-model.ts';
export type { ClientOptions, ClientTimeouts } from './client-options.ts';
export {
  applyMiddlewares,
  createMiddleware,
  withLogging,
  type LoggingOptions,
  type FetchMiddleware,
  type RequestLogger,
} from './connecting/fetch-middleware.ts';
export type {
  AskHandlers,
  Message,
  MessageSchema,
  NotificationHandler,
  RequestHandler,
  RequestHandlerExtra,
  RequestHandlerExtra as ClientContext,
  SchemaOutput,
} from './answering/handlers.ts';
export type { ReconnectOptions } from './connecting/healing.ts';
export type { IconType } from './icons/icon-image.ts';
export { fetchIcon, isSafeIconSource, type FetchedIcon, type FetchIconOptions } from './icons/icons.ts';
export { InputRequiredError } from './calls/input-rounds.ts';
export type { AuthorizationOptions } from './connecting/lazy-authorizer.ts';
export type { ListChangedCallback, ListChangedHandlers, ListChangedOptions } from './watching/list-changes.ts';
export type { ListLimits } from './calls/listing.ts';
export type {
  ListenEnd,
  ListenHandle,
  ListenHandle as McpSubscription,
  ListenOptions,
  SubscriptionFilter,
} from './watching/listen.ts';
export type { ClientMiddleware, ClientOperation } from './calls/middleware.ts';
export type { OutputValidation } from './calls/output-checks.ts';
export { provideRoots, type ProvidedRoots, type RootsOptions } from './answering/provide-roots.ts';
export type {
  CacheableRequestOptions,
  CacheMode,
  CallToolOptions,
  CallToolOptions as CallToolRequestOptions,
  InputMode,
  ListRequestOptions,
  ProgressCallback,
  RequestOptions,
} from './calls/request-options.ts';
export type { ResultSchema } from './calls/result-schema.ts';
export type { DiscoverResult } from './connecting/server-facts.ts';
export {
  ExperimentalClientTasks,
  takeResult,
  toArrayAsync,
  type ClassicTask,
  type ResponseMessage,
} from './tasks/experimental-tasks.ts';
export type { ReceivedTaskOptions } from './tasks/received-tasks.ts';
export type { TaskHandle } from './tasks/task-handle.ts';
export type { WaitOptions } from './tasks/waiting.ts';
export type { ClientExtension } from './client-extensions.ts';
export { SSEClientTransport, type SSEClientTransportOptions } from './connecting/sse-client-transport.ts';
export {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from './connecting/streamable-http-client-transport.ts';
export { describeUrl, type UrlDescription, type UrlWarning } from './answering/url-consent.ts';
export { ToolCallError, type TypedClient } from './calls/typed-client.ts';
export type { WatchedChange, WatchEnd, WatchHandle, WatchOptions, WatchTarget } from './watching/watch.ts';
export {
  createVerdictMemory,
  type Verdict,
  type VerdictMemory,
  type VerdictMemoryOptions,
} from './connecting/verdicts.ts';

export type { JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JsonObject, RequestId } from '../jsonrpc/message.ts';
export type { Clock } from '../peer/clock.ts';
export type { HeartbeatOptions } from '../peer/heartbeat.ts';
export type { Limit, LimitedCall, Limits, NamedRates } from '../peer/limiter.ts';
export type { Rate } from '../peer/rate-limit.ts';
export type { Progress } from '../peer/progress.ts';
export type { ClientCapabilities, ServerCapabilities } from '../protocol/capabilities.ts';
export type { CompleteParams, CompleteResult, CompletionReference } from '../protocol/completion.ts';
export type {
  Annotations,
  AudioContent,
  BlobResourceContents,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceContents,
  ResourceLink,
  Role,
  TextContent,
  TextResourceContents,
} from '../protocol/content.ts';
export type {
  ElicitFormParams,
  ElicitParams,
  ElicitResult,
  ElicitUrlParams,
} from '../protocol/elicitation/elicitation.ts';
export { formDefaults, readForm, type FormField, type FormOption } from '../protocol/elicitation/form-fields.ts';
export {
  isProtocolError,
  ProtocolError,
  ProtocolError as McpError,
  TransportError,
  type FaultKind,
  type TransportErrorCode,
} from '../protocol/errors.ts';
export type { Icon, Implementation } from '../protocol/implementation.ts';
export { LOG_LEVELS, type LoggingLevel, type LoggingMessage } from '../protocol/logging.ts';
export type { Carrier, ConnectionFacts, Middleware, Next, Operation } from '../protocol/operation.ts';
export type { Ask, AskMethod, Outcome, Retry } from '../protocol/outcome.ts';
export type { GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage } from '../protocol/prompts.ts';
export type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplateDefinition,
} from '../protocol/resources.ts';
export type { ListRootsResult, Root } from '../protocol/roots.ts';
export type { CreateMessageParams, CreateMessageResult, SamplingMessage } from '../protocol/sampling.ts';
export { isTerminal, type ListTasksResult, type Task, type TaskStatus } from '../protocol/tasks.ts';
export type {
  HasSurface,
  ServerSurface,
  SurfaceOf,
  ToolSurface,
  UnstructuredResult,
} from '../protocol/server-surface.ts';
export {
  displayName,
  effectiveAnnotations,
  type CallToolParams,
  type CallToolResult,
  type ListToolsResult,
  type Tool,
  type ToolAnnotations,
} from '../protocol/tools.ts';
export type { Family, Revision } from '../revisions/revision.ts';
export type { RevisionChoice } from '../revisions/selection.ts';
export {
  UnauthorizedError,
  type AuthProvider,
  type RefusedContext,
  type TokenHolder,
  type UnauthorizedContext,
} from '../transports/http/client/auth.ts';
export { httpFailureOf, type HttpFailure } from '../transports/http/client/http-failure.ts';
export type {
  FetchLike,
  HttpClientOptions,
  StreamableHTTPReconnectionOptions,
} from '../transports/http/client/options.ts';
export {
  isRestartable,
  type RestartableTransport,
  type Transport,
  type TransportSendOptions,
} from '../transports/transport.ts';
export {
  MissingRequiredClientCapabilityError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  SdkErrorCode,
  UnsupportedProtocolVersionError,
  UrlElicitationRequiredError,
} from '../protocol/error-classes.ts';
export { TransportError as SdkError } from '../protocol/errors.ts';
export { SdkHttpError, type SdkHttpErrorData } from '../transports/http/client/http-error.ts';
export {
  fromJsonSchema,
  type JsonSchemaValidator,
  type JsonSchemaValidatorProvider as jsonSchemaValidator,
  type JsonSchemaValidatorResult,
  type StandardSchemaWithJSON,
} from '../schema/from-json-schema.ts';
export type { JsonSchemaObject as JsonSchemaType } from '../schema/json-schema.ts';
export type {
  StandardSchema as StandardSchemaV1,
  StandardSchemaSync as StandardSchemaV1Sync,
} from '../schema/standard-schema.ts';
export type {
  VersionNegotiationMode,
  VersionNegotiationOptions,
  VersionNegotiationProbeOptions,
} from './connecting/version-negotiation.ts';
