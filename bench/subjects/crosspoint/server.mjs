import { McpServer } from 'crosspoint/server';
import { registerAsk } from './asking.mjs';
import { SERVER_INFO, toolsOf } from '../tools.mjs';

export async function createServer(options) {
  const task = options.kit === 'task' ? { task: 'optional' } : {};
  const server = new McpServer(SERVER_INFO, options.revisions && { revisions: options.revisions });
  if (options.kit === 'task') server.use((await import('crosspoint/server/tasks')).tasks());
  for (const { name, description, input, output, run } of toolsOf(options)) {
    server.registerTool(
      name,
      { description, inputSchema: input, ...(output ? { outputSchema: output } : {}), ...task },
      run,
    );
  }
  if (options.kit === 'ask') registerAsk(server);
  return server;
}
