/** Serves the demonstration server over HTTP, shows it as a client of each revision sees it, and stays up until interrupted. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { protocolRevisions } from 'crosspoint';
import { createMcpHandler } from 'crosspoint/server';
import { createDemoServer } from '../demo-server/demo-server.ts';
import { visit } from './visit.ts';
import { createVisitor, headline } from './visitor.ts';

const HOST = '127.0.0.1';

/** The requested port, or the next free one. */
async function listen(server: Server, wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + 100; port++) {
    const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      server.once('error', resolve).listen(port, HOST, () => {
        server.off('error', resolve);
        resolve(undefined);
      });
    });
    if (error === undefined) return (server.address() as AddressInfo).port;
    if (error.code !== 'EADDRINUSE') throw error;
    server.removeAllListeners('listening');
    console.log(`Port ${port} is taken.`);
  }
  throw new Error(`No port from ${wanted} to ${wanted + 99} is free. Choose another with PORT=….`);
}

const handler = createMcpHandler(createDemoServer(), { path: '/mcp' });
const server = createServer((request, response) => void handler.node(request, response));
const port = await listen(server, Number(process.env['PORT'] ?? 3000));
const origin = `http://${HOST}:${port}`;

console.log('Crosspoint: one server, one client, every revision of the Model Context Protocol, on one endpoint.');
for (const { id } of protocolRevisions) {
  const client = createVisitor(id);
  const started = performance.now();
  // The oldest revision has two endpoints: a stream, and an address to post to.
  const oldest = id === protocolRevisions.at(-1)?.id;
  await client.connect(oldest ? { url: `${origin}/sse`, transport: 'sse' } : `${origin}/mcp`);
  console.log(headline(client, started));
  await visit(client);
  await client.close();
}

console.log(`
Ready. Connect any MCP client to

  ${origin}/mcp     every revision with Streamable HTTP
  ${origin}/sse     the oldest revision (HTTP+SSE)
  stdio                         node examples/dist/demo-server/stdio.js

The server is examples/demo-server/demo-server.ts; this tour is examples/tour/main.ts. Stop with Ctrl+C.`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void handler.close({ grace: 1000 }).then(() => {
      server.close();
      server.closeAllConnections();
    });
  });
}
