import { randomUUID } from 'node:crypto';
import { StreamableHTTPTransport } from '@hono/mcp';
import { serve } from '@hono/node-server';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Hono } from 'hono';
import { addFeatures } from './features.mjs';

const sessions = new Map();
async function openSession() {
  const server = new McpServer({ name: 'hono', version: '1.0.0' });
  addFeatures(server);
  const transport = new StreamableHTTPTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await server.connect(transport);
  return transport;
}

const app = new Hono();
app.all('/mcp', async (context) => {
  const known = sessions.get(context.req.header('mcp-session-id'));
  return (known ?? (await openSession())).handleRequest(context);
});
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(`http://127.0.0.1:${port}/mcp`));
