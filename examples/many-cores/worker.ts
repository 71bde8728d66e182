import { createServer } from 'node:http';
import { createMcpHandler, McpServer, text } from 'crosspoint/server';
import type { Store } from 'crosspoint/stores';
import { sqliteStore } from 'crosspoint/stores/sqlite';

/** One process of many: its sessions are in the file, so that the next request of a client may come to another. */
export async function work(port: number, file: string, secret: string): Promise<void> {
  const store = await openStore(file);
  const server = new McpServer({ name: 'many-cores', version: '1.0.0' }, { asking: { keys: [secret], store } });
  server.registerTool('which', { description: 'The process that answers' }, () => text(String(process.pid)));
  const handler = createMcpHandler(server, { path: '/mcp', store });
  const http = createServer((request, response) => void handler.node(request, response));
  http.listen(port, '127.0.0.1');
  const end = async (): Promise<void> => {
    http.close();
    await handler.close({ grace: 2000 });
    http.closeAllConnections();
    await store.close();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end());
}

async function openStore(file: string): Promise<Store> {
  const name: string = 'node:sqlite';
  const { DatabaseSync } = await import(name).catch(() => import('@photostructure/sqlite'));
  return sqliteStore(new DatabaseSync(file));
}
