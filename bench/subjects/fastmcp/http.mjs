import { createServer as createProbe } from 'node:net';
import { createServer } from './server.mjs';

/** Finds a free port first: the library does not report the port it got. */
const freePort = () =>
  new Promise((resolve) => {
    const probe = createProbe().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

export async function start({ mode, ...options }) {
  const port = await freePort();
  const stateless = mode === 'session' ? {} : { stateless: true, enableJsonResponse: true };
  await createServer(options).start({
    transportType: 'httpStream',
    httpStream: { port, host: '127.0.0.1', endpoint: '/mcp', ...stateless },
  });
  return { port };
}
