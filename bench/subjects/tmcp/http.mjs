import { getRequestListener } from '@hono/node-server';
import { HttpTransport } from '@tmcp/transport-http';
import { listen } from '../listen.mjs';
import { createServer } from './server.mjs';

/** Serves every mode alike: the library has no JSON answers, and opens a session for a request that names none. */
export async function start({ mode: _mode, ...options }) {
  const server = createServer(options);
  const transport = new HttpTransport(server, { path: '/mcp' });
  const answer = async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 });
  const { port } = await listen(getRequestListener(answer));
  return { port, commands: { change: () => server.changed('tools') } };
}
