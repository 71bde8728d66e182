import { createServer } from 'node:http';

/**
 * Serves on a free port of this machine.
 * @param {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => unknown} listener
 * @returns {Promise<{ port: number }>}
 */
export function listen(listener) {
  const server = createServer({ keepAliveTimeout: 60_000 });
  server.on('request', (request, response) => void listener(request, response));
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', 4096, () => resolve({ port: server.address().port }));
  });
}
