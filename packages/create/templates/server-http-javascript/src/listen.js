import { createServer } from 'node:http';
import { createMcpHandler } from 'crosspoint/server';
import { createMcpServer } from './server.js';

/** Serves MCP over HTTP, to this machine alone, until `close` is called. Port 0 stands for any free port. */
export async function listen(port) {
  const handler = createMcpHandler(createMcpServer(), { path: '/mcp' });
  const listener = createServer((request, response) => void handler.node(request, response));
  await new Promise((resolve, reject) => {
    listener.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const address = listener.address();
  const close = async () => {
    listener.close();
    await handler.close({ grace: 5000 });
    listener.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${address.port}/mcp`, close };
}
