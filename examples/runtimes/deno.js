// deno run --allow-net --allow-env=PORT deno.js
import { createMcpHandler } from 'crosspoint/server';
import { createServer } from './server.js';

const handler = createMcpHandler(createServer(), { path: '/mcp' });
Deno.serve(
  {
    hostname: '127.0.0.1',
    port: Number(Deno.env.get('PORT') ?? 3000),
    onListen: ({ port }) => console.log(`http://127.0.0.1:${port}/mcp`),
  },
  (request, { remoteAddr }) => handler.fetch(request, { isLoopback: true, remoteAddress: remoteAddr.hostname }),
);
