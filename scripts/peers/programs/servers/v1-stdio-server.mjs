// A server on version 1 of the official SDK, for a bridge that starts it.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { addFeatures } from './features.mjs';

const server = new McpServer({ name: 'behind', version: '1.0.0' });
addFeatures(server);
await server.connect(new StdioServerTransport());
