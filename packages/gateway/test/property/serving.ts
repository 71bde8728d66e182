import { createServer } from 'node:http';
import { createMcpHandler, type McpServer } from 'crosspoint/server';

/** Serves over HTTP on the loopback interface. */
export async function serve(
  server: Parameters<typeof createMcpHandler>[0] | McpServer,
): Promise<{ url: string; close: () => Promise<void> }> {
  const handler = createMcpHandler(server, { path: '/mcp' });
  const http = createServer((request, response) => void handler.node(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as { port: number };
  const close = async (): Promise<void> => {
    await handler.close({ grace: 0 });
    http.close();
    http.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/mcp`, close };
}
