export { formFault, getSupportedElicitationModes } from './answering/ask-checks.ts';
export { CacheStore } from './calls/cache.ts';
export { Client } from './client-by-address.ts';
export type { ConnectOptions } from './connecting/connect-options.ts';
export type { HttpTarget } from './connecting/connect-by-address.ts';
export { chooseModel } from './answering/choose-model.ts';
export type { ClientOptions } from './client-options.ts';
export {
  applyMiddlewares,
  createMiddleware,
  withLogging,
  type LoggingOptions,
  type FetchMiddleware,
  type RequestLogger,
} from './connecting/fetch-middleware.ts';
export type { RequestHandlerExtra as ClientContext, SchemaOutput } from './answering/handlers.ts';
export { fetchIcon, type FetchedIcon } from './icons/icons.ts';
export { InputRequiredError } from './calls/input-rounds.ts';
export type { ListChangedCallback, ListChangedHandlers, ListChangedOptions } from './watching/list-refresher.ts';
export type { ListenHandle as McpSubscription, SubscriptionFilter } from './watching/listen-streams.ts';
export type { ClientMiddleware, ClientOperation } from './calls/middleware.ts';
export { provideRoots, type ProvidedRoots } from './answering/provide-roots.ts';
export type {
  CacheableRequestOptions,
  CacheMode,
  CallToolOptions as CallToolRequestOptions,
  ProgressCallback,
  RequestOptions,
} from './calls/request-options.ts';
export type { DiscoverResult } from './connecting/server-facts.ts';
export type { TaskHandle } from './tasks/task-handle.ts';
export type { ClientExtension } from './client-extensions.ts';
export { SSEClientTransport, type SSEClientTransportOptions } from './connecting/sse-client-transport.ts';
export {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from './connecting/streamable-http-client-transport.ts';
export { describeUrl, type UrlDescription } from './answering/url-consent.ts';
export { ToolCallError, type TypedClient } from './calls/typed-client.ts';
export type { WatchedChange, WatchHandle } from './watching/watch.ts';
export { createVerdictMemory, type VerdictMemory } from './connecting/verdicts.ts';

export type { JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, RequestId } from '../jsonrpc/message.ts';
export type { Limits } from '../peer/limiter.ts';
export type { Rate } from '../peer/rate-limit.ts';
export type { Progress } from '../peer/progress.ts';
export type { ClientCapabilities, ServerCapabilities } from '../protocol/capabilities.ts';
export type { CompleteResult } from '../protocol/completion.ts';
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
export type { ElicitResult } from '../protocol/elicitation/elicitation.ts';
export { readForm, type FormField } from '../protocol/elicitation/form-fields.ts';
export { isProtocolError, ProtocolError, TransportError, type FaultKind } from '../protocol/errors.ts';
export type { Icon, Implementation } from '../protocol/implementation.ts';
export type { LoggingLevel } from '../protocol/logging.ts';
export type { Middleware, Next, Operation } from '../protocol/operation.ts';
export type { Outcome } from '../protocol/outcome.ts';
export type { GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage } from '../protocol/prompts.ts';
export type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
} from '../protocol/resources.ts';
export type { ListRootsResult, Root } from '../protocol/roots.ts';
export type { CreateMessageResult, SamplingMessage } from '../protocol/sampling.ts';
export { isTerminal, type ListTasksResult, type Task, type TaskStatus } from '../protocol/tasks.ts';
export type { HasSurface, ServerSurface, SurfaceOf } from '../protocol/server-surface.ts';
export {
  effectiveAnnotations,
  type CallToolResult,
  type ListToolsResult,
  type Tool,
  type ToolAnnotations,
} from '../protocol/tools.ts';
export { UnauthorizedError, type AuthProvider } from '../transports/http/client/auth.ts';
export { httpFailureOf, type HttpFailure } from '../transports/http/client/http-failure.ts';
export type { FetchLike, StreamableHTTPReconnectionOptions } from '../transports/http/client/options.ts';
export type { Transport, TransportSendOptions } from '../transports/transport.ts';
export {
  MissingRequiredClientCapabilityError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  SdkErrorCode,
  UnsupportedProtocolVersionError,
  UrlElicitationRequiredError,
} from '../protocol/messages/error-classes.ts';
export { TransportError as SdkError } from '../protocol/errors.ts';
export { SdkHttpError, type SdkHttpErrorData } from '../transports/http/client/http-error.ts';
export {
  fromJsonSchema,
  type JsonSchemaValidator,
  type JsonSchemaValidatorProvider as jsonSchemaValidator,
  type JsonSchemaValidatorResult,
  type StandardSchemaWithJSON,
} from '../schema/from-json-schema.ts';
export type { JsonSchemaObject as JsonSchemaType } from '@crosspoint/json-schema/internal';
export type {
  StandardSchema as StandardSchemaV1,
  StandardSchemaSync as StandardSchemaV1Sync,
} from '../schema/standard-schema.ts';
export type {
  VersionNegotiationMode,
  VersionNegotiationOptions,
  VersionNegotiationProbeOptions,
} from './connecting/version-negotiation.ts';
