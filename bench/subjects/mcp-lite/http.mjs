import { getRequestListener } from '@hono/node-server';
import { InMemoryClientRequestAdapter, InMemorySessionAdapter, McpServer, StreamableHttpTransport } from 'mcp-lite';
import * as z from 'zod';
import { listen } from '../listen.mjs';
import { SERVER_INFO, toolsOf } from '../tools.mjs';

function createServer(options) {
  const server = new McpServer({ ...SERVER_INFO, schemaAdapter: (schema) => z.toJSONSchema(schema) });
  for (const { name, description, input, output, run } of toolsOf(options)) {
    const schemas = { inputSchema: input, ...(output ? { outputSchema: output } : {}) };
    server.tool(name, { description, ...schemas, handler: run });
  }
  return server;
}

export async function start({ mode, ...options }) {
  const server = createServer(options);
  const sessionAdapter = new InMemorySessionAdapter({ maxEventBufferSize: 1024 });
  const transport = new StreamableHttpTransport(
    mode === 'session' ? { sessionAdapter, clientRequestAdapter: new InMemoryClientRequestAdapter({}) } : {},
  );
  const { port } = await listen(getRequestListener(transport.bind(server)));
  // The library announces a changed list only when a tool is added while clients are connected.
  let added = 0;
  const change = () => void server.tool(`added-${++added}`, { handler: () => ({ content: [] }) });
  return { port, commands: { change } };
}
