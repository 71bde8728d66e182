// bun bun.js
import { createMcpHandler } from 'crosspoint/server';
import { createServer } from './server.js';

const handler = createMcpHandler(createServer(), { path: '/mcp' });
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT'] ?? 3000),
  // Bun ends connections that are silent for ten seconds; streams here send a comment every fifteen.
  idleTimeout: 60,
  fetch: (request, listener) =>
    handler.fetch(request, { isLoopback: true, remoteAddress: listener.requestIP(request)?.address }),
});
console.log(new URL('/mcp', server.url).href);
