// For workerd and the platforms on it. Bundle it: esbuild worker.js --bundle --format=esm --outfile=worker.bundle.js
import { createMcpHandler } from 'crosspoint/server';
import { createServer } from './server.js';

const handler = createMcpHandler(createServer(), { path: '/mcp' });

export default {
  fetch: (request) => handler.fetch(request),
};
