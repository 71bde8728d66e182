import { Client, type Middleware } from 'crosspoint/client';
import { logCalls, type CallRecord } from 'crosspoint/middleware';
import { McpServer, ProtocolError, text, type ServerMiddleware } from 'crosspoint/server';
import * as z from 'zod';

/** A shop that sells only while it is open, and logs its calls. */
export function createShop(isOpen: () => boolean, log: (record: CallRecord) => void): McpServer {
  const shop = new McpServer({ name: 'shop', version: '1.0.0' });
  shop.registerTool('price', { inputSchema: { item: z.string() } }, ({ item }) => text(`${item}: 3 €`));
  shop.registerTool('order', { inputSchema: { item: z.string() } }, ({ item }) => text(`Ordered: ${item}`));
  const doorkeeper: ServerMiddleware = (operation, next) => {
    if (operation.method === 'tools/call' && operation.params['name'] === 'order' && !isOpen())
      throw new ProtocolError('invalid-request', 'The shop is closed.');
    return next();
  };
  shop.use(logCalls({ log, only: ({ method }) => method === 'tools/call' }));
  shop.use(doorkeeper);
  return shop;
}

/** A client that asks for each price once. */
export function createThriftyClient(): Client {
  const client = new Client({ name: 'thrifty', version: '1.0.0' });
  const known = new Map<string, Awaited<ReturnType<Middleware>>>();
  client.use(async (operation, next) => {
    if (operation.method !== 'tools/call' || operation.params['name'] !== 'price') return next();
    const key = JSON.stringify(operation.params['arguments']);
    const outcome = known.get(key) ?? (await next());
    if (outcome.kind !== 'complete') return outcome;
    known.set(key, outcome);
    return { kind: 'complete', result: outcome.result };
  });
  return client;
}
