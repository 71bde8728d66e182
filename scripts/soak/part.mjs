// One process of the endurance run: node --expose-gc part.mjs server FILE SECRET | bridge ADDRESS. Says its port, and then its figures when it is asked.
import { once } from 'node:events';
import { createServer } from 'node:http';

const [part, ...rest] = process.argv.slice(2);
const HOST = '127.0.0.1';
const listening = async (http, port) => {
  http.listen(port, HOST);
  await once(http, 'listening');
  return http.address().port;
};

/** Each part begins to serve, and gives its port and the function that ends it in order. */
const PARTS = {
  async server(file, secret) {
    const { createMcpHandler } = await import('crosspoint/server');
    const { createShop } = await import('./shop.mjs');
    const { sqliteStore } = await import('crosspoint/stores/sqlite');
    const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
    const store = sqliteStore(new DatabaseSync(file));
    const handler = createMcpHandler(createShop({ keys: [secret], store }), {
      path: '/mcp',
      store,
      sessionIdleMs: 20_000,
    });
    const http = createServer((request, response) => void handler.node(request, response));
    const end = async () => {
      http.close();
      await handler.close({ grace: 1000 });
      http.closeAllConnections();
    };
    return { port: await listening(http, 0), end };
  },
  /** The bridge as its program runs it. */
  async bridge(url) {
    const { serveBridge } = await import('@crosspoint/gateway/program');
    const free = createServer();
    const port = await listening(free, 0);
    await new Promise((resolve) => free.close(resolve));
    const ending = new AbortController();
    const address = { host: HOST, port, path: '/mcp', isLoopback: true };
    const command = { target: { kind: 'address', url }, face: { kind: 'http', address }, log: 'quiet' };
    const ended = serveBridge(command, { signal: ending.signal });
    for (let tries = 0; tries < 200; tries += 1) {
      const answer = await fetch(`http://${HOST}:${port}/`).catch(() => undefined);
      if (answer !== undefined) break;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    const end = async () => {
      ending.abort();
      await ended;
    };
    return { port, end };
  },
};

const { port, end } = await PARTS[part](...rest);
process.send({ port });
async function tellFigures() {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { rss, heapUsed } = process.memoryUsage();
  process.send({ rss, heapUsed, handles: process.getActiveResourcesInfo().length });
}
process.on('message', () => void tellFigures());
process.once('SIGTERM', () => void end().then(() => process.exit(0)));
process.on('disconnect', () => process.exit(0));
