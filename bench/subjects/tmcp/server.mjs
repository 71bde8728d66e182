import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { McpServer } from 'tmcp';
import { registerAsk } from './asking.mjs';
import { SERVER_INFO, toolsOf } from '../tools.mjs';

export function createServer(options) {
  const server = new McpServer(SERVER_INFO, {
    adapter: new ZodJsonSchemaAdapter(),
    capabilities: { tools: { listChanged: true } },
  });
  for (const { name, description, input, output, run } of toolsOf(options)) {
    server.tool({ name, description, schema: input, ...(output ? { outputSchema: output } : {}) }, run);
  }
  if (options.kit === 'ask') registerAsk(server);
  return server;
}
