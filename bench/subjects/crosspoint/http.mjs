import { createMcpHandler } from 'crosspoint/server';
import { listen } from '../listen.mjs';
import { createServer } from './server.mjs';

/** Serves as documented, with nothing switched off; `sessions: false` serves handshake clients without a session. */
export async function start({ mode, redis, maxBodyBytes, ...options }) {
  const server = await createServer(options);
  const store = redis === undefined ? {} : { store: await redisStoreAt(redis) };
  const sessions = mode === 'stateless' ? { sessions: false } : {};
  const limit = maxBodyBytes === undefined ? {} : { maxBodyBytes };
  const handler = createMcpHandler(server, { path: '/mcp', ...sessions, ...store, ...limit });
  const { port } = await listen((request, response) => void handler.node(request, response));
  return { port, commands: { change: () => server.sendToolListChanged() } };
}

async function redisStoreAt(url) {
  const { createClient } = await import('@redis/client');
  const { redisStore } = await import('crosspoint/stores/redis');
  return redisStore(createClient({ url }));
}
