// One of several servers with a store in common: asks before it refunds, and writes each refund into a file.
//   node refund-node.mjs <folder of the compiled sources> <sqlite|redis> <file or url of the store> <file of refunds>
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, kind, place, refunds] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(folder, path)).href);
const { McpServer, createMcpHandler, text } = await load('server/index.js');

async function openStore() {
  if (kind === 'redis') {
    const { createClient } = await import('@redis/client');
    const { redisStore } = await load('stores/redis.js');
    return redisStore(createClient({ url: place }));
  }
  const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
  const { sqliteStore } = await load('stores/sqlite.js');
  return sqliteStore(new DatabaseSync(place), { pollMs: 20 });
}

const schema = { type: 'object', properties: { sure: { type: 'boolean' } } };
const store = await openStore();
const server = new McpServer(
  { name: 'shop', version: '1.0.0' },
  { asking: { keys: ['a key that all of these processes have in common'], store } },
);
server.registerTool('refund', {}, async (ctx) => {
  const answer = await ctx.elicit({ message: 'Refund?', schema });
  if (answer.action !== 'accept' || !answer.content.sure) return text('Nothing was refunded.');
  await ctx.step('refund', async ({ idempotencyKey }) => {
    appendFileSync(refunds, `${idempotencyKey}\n`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  });
  return text(`Refunded by ${process.pid}.`);
});
const handler = createMcpHandler(server);
const http = createServer((request, response) => void handler.node(request, response));
http.listen(0, '127.0.0.1', () => console.log(http.address().port));
process.once('disconnect', () => process.exit());
