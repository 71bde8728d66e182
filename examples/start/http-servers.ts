import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { protocolRevisions } from 'crosspoint';
import { createMcpHandler, type McpServer } from 'crosspoint/server';
import { createDemoServer } from '../demo-server/demo-server.ts';
import { createReportServer } from '../long-report/report-server.ts';
import { startPaymentPage } from '../shop/payment-page.ts';
import { createShopServer } from '../shop/shop-server.ts';
import { startForecasts } from '../weather/forecasts.ts';
import { createWeatherServer } from '../weather/weather-server.ts';

const HOST = '127.0.0.1';
const CHAPTER_MS = 1000;

/** A server at an address, as a configuration has it. */
export interface HttpEntry {
  readonly type: 'http' | 'sse';
  readonly url: string;
}

export interface HttpServers {
  /** Scheme, host and port. The demonstration server is on `/mcp` and `/sse`. */
  readonly origin: string;
  /** By name. */
  readonly entries: Readonly<Record<string, HttpEntry>>;
  close(): Promise<void>;
}

/**
 * Serves the examples over HTTP, all on one port: the wanted one, or the next free one. The demonstration server is there once for every revision,
 * and once more for each revision as a server that speaks no other.
 */
export async function startHttpServers(wanted: number): Promise<HttpServers> {
  const http = createServer();
  const origin = `http://${HOST}:${await listen(http, wanted)}`;
  const [forecasts, payments] = await Promise.all([startForecasts(), startPaymentPage()]);
  const served = new Map<string, ReturnType<typeof createMcpHandler>>();
  const entries: Record<string, HttpEntry> = {};
  const add = (name: string, server: McpServer, folder: string, isOld = false): void => {
    const legacySse = { ssePath: `${folder}/sse`, messagesPath: `${folder}/messages` };
    served.set(folder, createMcpHandler(server, { path: `${folder}/mcp`, legacySse }));
    entries[name] = isOld
      ? { type: 'sse', url: `${origin}${folder}/sse` }
      : { type: 'http', url: `${origin}${folder}/mcp` };
  };
  add('demo', createDemoServer(), '');
  for (const { id } of protocolRevisions)
    add(`demo-${id}`, createDemoServer({ revisions: [id] }), `/${id}`, id === protocolRevisions.at(-1)?.id);
  add('weather', createWeatherServer(forecasts.url), '/weather');
  add('reports', createReportServer({ writeChapter }), '/reports');
  add('shop', shopServer(payments), '/shop');
  http.on('request', (request, response) => {
    const [, folder = ''] = /^(\/[^/?]+)\/[^/?]+/.exec(request.url ?? '') ?? [];
    void (served.get(folder) ?? served.get(''))?.node(request, response);
  });
  return {
    origin,
    entries,
    async close() {
      http.close();
      await Promise.all([...served.values()].map((handler) => handler.close({ grace: 1000 })));
      http.closeAllConnections();
      await Promise.all([forecasts.close(), payments.close()]);
    },
  };
}

async function writeChapter(topic: string, chapter: number, signal: AbortSignal): Promise<string> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, CHAPTER_MS);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
  return `Chapter ${chapter}. About ${topic}.`;
}

function shopServer(payments: Awaited<ReturnType<typeof startPaymentPage>>): McpServer {
  let parcels = 0;
  return createShopServer({ payments, reserve: async () => {}, ship: async () => String((parcels += 1)) });
}

/** The requested port, or the next free one. */
async function listen(server: Server, wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + 100; port++) {
    const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      server.once('error', resolve).listen(port, HOST, () => {
        server.off('error', resolve);
        resolve(undefined);
      });
    });
    if (error === undefined) return (server.address() as AddressInfo).port;
    if (error.code !== 'EADDRINUSE') throw error;
    server.removeAllListeners('listening');
    console.log(`Port ${port} is taken.`);
  }
  throw new Error(`No port from ${wanted} to ${wanted + 99} is free. Choose another with PORT=….`);
}
