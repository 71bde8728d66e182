/**
 * A Cloudflare Worker. `npx wrangler deploy examples/workers/worker.ts --name my-server --compatibility-date 2026-01-01` puts it online; it needs no
 * compatibility flags, since nothing here is of Node.
 */
import { McpServer, createMcpHandler, text } from 'crosspoint/server';
import * as z from 'zod';

const server = new McpServer({ name: 'worker', version: '1.0.0' });
server.registerTool('shout', { description: 'Says it louder', inputSchema: { message: z.string() } }, ({ message }) =>
  text(message.toUpperCase()),
);

const handler = createMcpHandler(server, { path: '/mcp' });

export default {
  fetch: (request: Request): Promise<Response> => handler.fetch(request),
};
