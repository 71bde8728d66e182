/** Everything for a server over stdio, without HTTP: a program that imports only this starts faster. */
export {
  StdioServerTransport,
  type StdioServerOptions as ServeStdioOptions,
  type StdioServerTransport as StdioServerHandle,
} from '../transports/stdio/server.ts';
export { serveStdio } from '../transports/stdio/serve-stdio.ts';
export { McpServer, type McpServerOptions } from './mcp-server.ts';
export { Server } from './server.ts';
export type { ServerOptions } from './server-options.ts';
export { definePrompt, type PromptDefinition } from './offering/define-prompt.ts';
export { defineResource, type ResourceDefinition } from './offering/define-resource.ts';
export { defineServer, type DefinedServer } from './offering/define-server.ts';
export { defineTool, type ToolDefinition } from './offering/define-tool.ts';
export { ResourceTemplate } from './offering/resource-template.ts';
export { completable } from './offering/completable.ts';
export { inputRequired } from './asking/input-required.ts';
export { acceptedContent, inputResponse } from './asking/input-responses.ts';
export type { ServerContext } from './calls/context.ts';
export type { ServerMiddleware } from './calls/middleware.ts';
export { ProtocolError, ToolError, isProtocolError } from '../protocol/errors.ts';
export { resourceContents, text } from '../protocol/content.ts';
