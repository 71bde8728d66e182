// node node.js
import { createServer as createHttpServer } from 'node:http';
import { createMcpHandler } from 'crosspoint/server';
import { createServer } from './server.js';

const handler = createMcpHandler(createServer(), { path: '/mcp' });
const http = createHttpServer((request, response) => void handler.node(request, response));
http.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${http.address().port}/mcp`);
});
