// The server for the official conformance suite: node conformance/server.mjs --port N serves every protocol
// revision at http://127.0.0.1:N/mcp. Without a port a free one is taken; the address is printed once it can be called.
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { createMcpHandler } from 'crosspoint/server';
import { createConformanceServer } from './server/conformance-server.mjs';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
const handler = createMcpHandler(createConformanceServer(), { path: '/mcp' });
const http = createServer((request, response) => void handler.node(request, response));

http.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
http.listen(Number(values.port), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${http.address().port}/mcp`);
});

async function stop() {
  http.close();
  await handler.close({ grace: 500 });
  http.closeAllConnections();
}
process.once('SIGTERM', () => void stop());
process.once('SIGINT', () => void stop());
