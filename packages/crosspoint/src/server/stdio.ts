/** All that a server over stdio needs, and nothing of HTTP: a program that imports this alone starts faster. */
export {
  StdioServerTransport,
  type StdioServerOptions,
  type StdioServerOptions as ServeStdioOptions,
  type StdioServerTransport as StdioServerHandle,
} from '../transports/stdio/server.ts';
export { serveStdio, type Connectable } from '../transports/stdio/serve-stdio.ts';
export { McpServer, type McpServerOptions } from './mcp-server.ts';
export { Server } from './server.ts';
export type { ServerOptions } from './server-options.ts';
export { definePrompt, type PromptDefinition } from './define-prompt.ts';
export { defineResource, type ResourceDefinition, type TemplateSource } from './define-resource.ts';
export { defineServer, type DefinedServer, type ServerDefinition } from './define-server.ts';
export { defineTool, type ToolDefinition } from './define-tool.ts';
export { ResourceTemplate } from './resource-template.ts';
export { completable } from './completable.ts';
export { inputRequired } from './asking/input-required.ts';
export { acceptedContent, inputResponse } from './asking/input-responses.ts';
export type { ServerContext } from './context.ts';
export type { ServerMiddleware } from './middleware.ts';
export { ProtocolError, ToolError, isProtocolError } from '../protocol/errors.ts';
export { resourceContents, text } from '../protocol/content.ts';
