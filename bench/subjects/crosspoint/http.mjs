import { createMcpHandler } from 'crosspoint/server';
import { listen } from '../listen.mjs';
import { createServer } from './server.mjs';

/** As documented, with nothing switched off; `sessions: false` is how handshake clients are served without a session. */
export async function start({ mode, ...options }) {
  const server = createServer(options);
  const handler = createMcpHandler(server, { path: '/mcp', ...(mode === 'stateless' ? { sessions: false } : {}) });
  const { port } = await listen((request, response) => void handler.node(request, response));
  return { port, commands: { change: () => server.sendToolListChanged() } };
}
