export { McpServer, type McpServerOptions } from './mcp-server.ts';
export { Server } from './server.ts';
export type { ServerExtension, ServerFeature } from './server-extension.ts';
export { tellListeners } from './changes/tell-listeners.ts';
export type { ServerMiddleware, ServerOperation } from './calls/middleware.ts';
export type { Middleware, Next, Operation } from '../protocol/operation.ts';
export type { Outcome } from '../protocol/outcome.ts';
export type { Mounted, ServerSource, SourceOffers } from './composition/source.ts';
export type { ServerOptions } from './server-options.ts';
export { definePrompt, type PromptDefinition } from './offering/define-prompt.ts';
export { defineResource, type ResourceDefinition } from './offering/define-resource.ts';
export { defineServer, type DefinedServer } from './offering/define-server.ts';
export { defineTool, type ToolDefinition } from './offering/define-tool.ts';
export type { HasSurface, ServerSurface, SurfaceOf } from '../protocol/server-surface.ts';
export {
  createMcpHandler,
  type McpHandler,
  type McpHandler as McpHttpHandler,
  type ServerNotifier,
} from './http/create-mcp-handler.ts';
export type { McpRequestContext, McpServerFactory } from './http/serve-by-factory.ts';
export {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  validateHostHeader,
  validateOriginHeader,
  type HostHeaderValidationResult,
  type OriginValidationResult,
} from './http/host-validation.ts';
export { isLegacyRequest, type IsLegacyRequestOptions } from './http/is-legacy-request.ts';
export { DEFAULT_MAX_REQUEST_BODY_SIZE } from './http/read-post.ts';
export type { McpHandlerOptions, McpHandlerOptions as CreateMcpHandlerOptions } from './http/options.ts';
export { StreamableHTTPServerTransport } from './http/transports/streamable-http-server-transport.ts';
export { WebStandardStreamableHTTPServerTransport } from './http/transports/web-standard-streamable-http-server-transport.ts';
export type {
  EventId,
  StreamId,
  StreamableHTTPServerTransportOptions,
  StreamableHTTPServerTransportOptions as WebStandardStreamableHTTPServerTransportOptions,
} from './http/transports/streamable-server-transport.ts';
export { SSEServerTransport, type SSEServerTransportOptions } from './http/transports/sse-server-transport.ts';
export type { EventStore } from '../transports/http/server/sessions/event-store.ts';
export type {
  FetchExtras as HandleRequestOptions,
  FetchExtras as McpHandlerRequestOptions,
} from '../transports/http/server/adapters/fetch-exchange.ts';
export type { HttpRequest } from '../transports/http/server/adapters/exchange.ts';
export type { NodeRequest, NodeResponse } from '../transports/http/server/adapters/node-exchange.ts';
export { memoryStore } from '../stores/memory.ts';
export type { AppendOptions, Json, LogEntry, PutOptions, ReadOptions, Store, StoredRecord } from '../stores/store.ts';
export { ServerContext, type Caller } from './calls/context.ts';
export type { CallOptions as RequestOptions, ProgressCallback } from './calls/call-options.ts';
export type { RequestStateAccessor } from './calls/mcp-request-view.ts';
export { createSecret } from '../runtime/secret.ts';
export { createHandles, type Handles, type HandleOwner } from './asking/seals/handles.ts';
export { InputRequired, inputRequired, type InputRequiredSpec } from './asking/input-required.ts';
export { acceptedContent, inputResponse, type InputResponseView } from './asking/input-responses.ts';
export { StepError } from './asking/steps.ts';
export { Suspended, isSuspension } from './asking/suspension.ts';
export { ResourceTemplate, type ListResourcesCallback, type Variables } from './offering/resource-template.ts';
export type { TaskScope } from './tasks/task-edge.ts';
export type { ToolTaskOptions } from './tasks/task-options.ts';
export {
  completable,
  isCompletable,
  type CompletableSchema,
  type CompleteCallback,
  type CompleteResourceTemplateCallback,
} from './offering/completable.ts';
export type { Limits } from '../peer/limiter.ts';
export type { Rate } from '../peer/rate-limit.ts';
export type { AnyToolHandler, BaseToolCallback } from './offering/tool-callbacks.ts';
export type {
  PromptCallback,
  ReadResourceCallback,
  ReadResourceTemplateCallback,
  RegisteredPrompt,
  RegisteredResource,
  RegisteredResourceTemplate,
  RegisteredTool,
  ResourceConfig as ResourceMetadata,
  ToolCallback,
  ToolConfig,
} from './offering/registrations.ts';
export {
  ProtocolError,
  ToolError,
  TransportError,
  TransportError as SdkError,
  isProtocolError,
} from '../protocol/errors.ts';
export { resourceContents, text } from '../protocol/content.ts';
export { UriTemplate } from '../wire/uri-template.ts';
export type { AuthInfo, MessageExtraInfo, Transport, TransportSendOptions } from '../transports/transport.ts';
export {
  MissingRequiredClientCapabilityError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  SdkErrorCode,
  UnsupportedProtocolVersionError,
  UrlElicitationRequiredError,
} from '../protocol/messages/error-classes.ts';
export type {
  JsonSchemaValidator,
  JsonSchemaValidatorProvider as jsonSchemaValidator,
  JsonSchemaValidatorResult,
  StandardSchemaWithJSON,
} from '../schema/from-json-schema.ts';
export type { JsonSchemaObject as JsonSchemaType } from '@crosspoint/json-schema/internal';
export type {
  StandardSchema as StandardSchemaV1,
  StandardSchemaSync as StandardSchemaV1Sync,
} from '../schema/standard-schema.ts';
