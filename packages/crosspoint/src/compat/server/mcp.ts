export { McpServer, ResourceTemplate, type McpServerOptions } from '../../server/index.ts';
