// One process of the endurance run: node --expose-gc part.mjs server FILE SECRET | bridge ADDRESS. Says its port, and then its figures when it is asked.
import { createServer } from 'node:http';
import { createMcpHandler } from 'crosspoint/server';

const [part, ...rest] = process.argv.slice(2);
const PARTS = {
  async server(file, secret) {
    const { createShop } = await import('./shop.mjs');
    const { sqliteStore } = await import('crosspoint/stores/sqlite');
    const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
    const store = sqliteStore(new DatabaseSync(file));
    const server = createShop({ keys: [secret], store });
    return createMcpHandler(server, { path: '/mcp', store, sessionIdleMs: 20_000 });
  },
  async bridge(address) {
    const { bridge } = await import('@crosspoint/gateway');
    return createMcpHandler(bridge(address), { path: '/mcp', sessionIdleMs: 20_000 });
  },
};

const handler = await PARTS[part](...rest);
const http = createServer((request, response) => void handler.node(request, response)).listen(0, '127.0.0.1', () =>
  process.send({ port: http.address().port }),
);
async function tellFigures() {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { rss, heapUsed } = process.memoryUsage();
  process.send({ rss, heapUsed, handles: process.getActiveResourcesInfo().length });
}
async function end() {
  http.close();
  await handler.close({ grace: 1000 });
  http.closeAllConnections();
  process.exit(0);
}
process.on('message', () => void tellFigures());
process.once('SIGTERM', () => void end());
process.on('disconnect', () => process.exit(0));
