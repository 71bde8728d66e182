import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { createMcpHandler, type McpServer } from 'crosspoint/server';
import { Hono } from 'hono';

/** Serves with Hono on Node; the same application runs wherever Hono does. */
export async function serve(server: McpServer, port: number) {
  const handler = createMcpHandler(server);
  const app = new Hono();
  app.get('/', (context) => context.text('The server is at /mcp.'));
  // A web Request does not tell on which address it arrived. `isLoopback` turns on the check that refuses other host names (DNS rebinding).
  for (const path of ['/mcp', '/sse', '/messages'])
    app.all(path, (context) => handler.fetch(context.req.raw, { isLoopback: true }));

  const http = createAdaptorServer({ fetch: app.fetch });
  http.listen(port, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    async close() {
      http.close();
      await handler.close({ grace: 1000 });
      if ('closeAllConnections' in http) http.closeAllConnections();
    },
  };
}
