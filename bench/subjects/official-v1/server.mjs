import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { registerAsk } from './asking.mjs';
import { taskServerFactory } from './tasks.mjs';
import { SERVER_INFO, toolsOf } from '../tools.mjs';

/** Returns a function that makes servers: this library needs one for each connection, and without sessions one for each request. */
export function serverFactory(options) {
  if (options.kit === 'task') return taskServerFactory();
  const tools = toolsOf(options);
  return () => {
    const server = new McpServer(SERVER_INFO, { capabilities: { tools: { listChanged: true } } });
    for (const { name, description, input, output, run } of tools) {
      const shapes = { inputSchema: input.shape, ...(output ? { outputSchema: output.shape } : {}) };
      server.registerTool(name, { description, ...shapes }, run);
    }
    if (options.kit === 'ask') registerAsk(server);
    return server;
  };
}
