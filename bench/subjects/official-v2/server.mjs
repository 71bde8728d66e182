import { McpServer } from '@modelcontextprotocol/server';
import { registerAsk, stateCodec } from './asking.mjs';
import { SERVER_INFO, toolsOf } from '../tools.mjs';

/** Returns a function that makes servers: this library needs one for each connection, and without sessions one for each request. */
export function serverFactory(options) {
  const tools = toolsOf(options);
  return () => {
    const server = new McpServer(SERVER_INFO, {
      capabilities: { tools: { listChanged: true } },
      ...(options.kit === 'ask' ? { requestState: { verify: (...given) => stateCodec.verify(...given) } } : {}),
    });
    for (const { name, description, input, output, run } of tools) {
      server.registerTool(name, { description, inputSchema: input, ...(output ? { outputSchema: output } : {}) }, run);
    }
    if (options.kit === 'ask') registerAsk(server);
    return server;
  };
}
