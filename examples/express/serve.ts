import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, type McpServer } from 'crosspoint/server';
import express from 'express';

/** Serves with Express 5, beside the application's other routes. */
export async function serve(server: McpServer, port: number) {
  const handler = createMcpHandler(server);
  const app = express();
  // The handler uses `request.body` where a parser has read it, and otherwise reads the body itself.
  app.use(express.json({ limit: '4mb' }));
  app.get('/', (_request, response) => void response.send('The server is at /mcp.'));
  app.all(['/mcp', '/sse', '/messages'], (request, response) => handler.node(request, response));

  const http = app.listen(port, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    async close() {
      http.close();
      await handler.close({ grace: 1000 });
      http.closeAllConnections();
    },
  };
}
