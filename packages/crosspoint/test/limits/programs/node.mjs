// One of several servers on one Redis: tells its port, and writes down what it does.
//   node node.mjs <folder of the compiled sources> <url of the Redis> <file>
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '@redis/client';

const [folder, url, file] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(folder, path)).href);
const { McpServer, createMcpHandler, text } = await load('server/index.js');
const { redisStore } = await load('stores/redis.js');

const server = new McpServer(
  { name: 'node', version: '1.0.0' },
  { idempotency: {}, limits: { 'tools/call': { perSecond: 0.001, burst: 12, names: { charge: false } } } },
);
server.registerTool('charge', {}, async () => {
  appendFileSync(file, `${process.pid}\n`);
  await new Promise((resolve) => setTimeout(resolve, 200));
  return text(`charged by ${process.pid}`);
});
server.registerTool('look', {}, () => text('looked'));
const handler = createMcpHandler(server, {
  store: redisStore(createClient({ url })),
  authenticate: (request) => ({ token: 'x', clientId: request.header('authorization') ?? '', scopes: [] }),
});
const http = createServer((request, response) => void handler.node(request, response));
http.listen(0, '127.0.0.1', () => console.log(http.address().port));
process.once('disconnect', () => process.exit());
