/** What both sides share: the protocol's types, its errors, and the revisions that are spoken. */
import { assumedRevision, revisions } from './revisions/index.ts';
import type { Family } from './revisions/revision.ts';

/** Every revision this library speaks, newest first. */
export const protocolRevisions: readonly { readonly id: string; readonly family: Family }[] = revisions.map(
  ({ id, family }) => ({ id, family }),
);

/** What a request over HTTP is taken for when nothing names a revision. */
export const assumedProtocolRevision: string = assumedRevision.id;

export type { Family, Revision } from './revisions/revision.ts';
export type { RevisionChoice } from './revisions/selection.ts';
export type { ClientCapabilities, ServerCapabilities } from './protocol/capabilities.ts';
export type { CompleteParams, CompleteResult, CompletionReference } from './protocol/completion.ts';
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
export {
  declares,
  defineExtension,
  type Extension,
  type ExtensionMethod,
  type ListenFilter,
} from './extensions/extension.ts';
export { TASKS_EXTENSION_ID, tasksExtension } from './extensions/tasks/tasks-extension.ts';
export type { ElicitFormParams, ElicitParams, ElicitResult, ElicitUrlParams } from './protocol/elicitation.ts';
export {
  ProtocolError,
  ProtocolError as McpError,
  ToolError,
  TransportError,
  isProtocolError,
  type FaultKind,
  type TransportErrorCode,
} from './protocol/errors.ts';
export type { Icon, Implementation } from './protocol/implementation.ts';
export type { CacheHints, CacheScope, Page } from './protocol/listing.ts';
export type { LoggingLevel, LoggingMessage } from './protocol/logging.ts';
export { isValidExtensionId, isValidMetaKey } from './protocol/meta.ts';
export type { Middleware, Next, Operation } from './protocol/operation.ts';
export type { Outcome } from './protocol/outcome.ts';
export type { GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage } from './protocol/prompts.ts';
export type {
  ListResourceTemplatesResult,
  ListResourcesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplateDefinition,
} from './protocol/resources.ts';
export type { ListRootsResult, Root } from './protocol/roots.ts';
export type {
  CreateMessageParams,
  CreateMessageResult,
  ModelPreferences,
  SamplingContent,
  SamplingMessage,
  ToolResultContent,
  ToolUseContent,
} from './protocol/sampling.ts';
export {
  displayName,
  effectiveAnnotations,
  type CallToolParams,
  type CallToolResult,
  type ListToolsResult,
  type TaskSupport,
  type Tool,
  type ToolAnnotations,
} from './protocol/tools.ts';
export { isTerminal, type DetailedTask, type ListTasksResult, type Task, type TaskStatus } from './protocol/tasks.ts';
export type {
  ErrorObject,
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
