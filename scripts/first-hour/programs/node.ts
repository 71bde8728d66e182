import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@redis/client';
import { McpServer, createMcpHandler, text } from 'crosspoint/server';
import { redisStore } from 'crosspoint/stores/redis';

const [name = '', redis = ''] = process.argv.slice(2);
const server = new McpServer({ name: 'nodes', version: '1.0.0' });
server.registerTool('where', {}, () => text(`node ${name}`));

/** One of two processes that serve the same sessions. It says where it listens, and runs until it is ended. */
const handler = createMcpHandler(server, { path: '/mcp', store: redisStore(createClient({ url: redis })) });
const listener = createServer((request, response) => void handler.node(request, response));
listener.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`);
});
