import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, type McpServer } from 'crosspoint/server';

/** Serves on plain `node:http`. */
export async function serve(server: McpServer, port: number) {
  const handler = createMcpHandler(server, { path: '/mcp' });
  const http = createServer((request, response) => void handler.node(request, response));
  http.listen(port, '127.0.0.1');
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
