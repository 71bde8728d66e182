import { createServer } from 'node:http';
import { Client, StreamableHTTPClientTransport } from 'crosspoint/client';

/** Whether the client is to reach the suite's server through a bridge. */
export const isThroughBridge = process.argv.includes('--through-bridge');

/** Connects a client to the suite's server, or to a bridge before it, and gives a function that ends both. */
export async function connectTo(client, url, options = {}) {
  const transportTo = (address) => new StreamableHTTPClientTransport(new URL(address), options);
  if (!isThroughBridge) {
    const end = () => client.close();
    await client.connect(transportTo(url)).catch(endingWith(end));
    return end;
  }
  const { address, close } = await startBridge({ connect: (upstream) => upstream.connect(transportTo(url)) });
  const end = async () => {
    await client.close();
    await close();
  };
  await client.connect(new StreamableHTTPClientTransport(new URL(address))).catch(endingWith(end));
  return end;
}

const endingWith = (end) => async (error) => {
  await end();
  throw error;
};

async function startBridge(upstream) {
  const { bridge } = await import('@crosspoint/gateway');
  const { createMcpHandler } = await import('crosspoint/server');
  const between = bridge(upstream);
  const handler = createMcpHandler(between, { path: '/mcp' });
  const http = createServer((request, response) => void handler.node(request, response));
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    await handler.close({ grace: 500 });
    await between.close();
    http.close();
    http.closeAllConnections();
  };
  return { address: `http://127.0.0.1:${http.address().port}/mcp`, close };
}

/** Connects, runs `work`, and closes the client in any case. `handlers` answer the server's questions, by method. */
export async function withClient(url, { capabilities = {}, handlers = {} }, work) {
  const client = new Client({ name: 'crosspoint-conformance', version: '1.0.0' }, { capabilities });
  for (const [method, handler] of Object.entries(handlers)) client.setRequestHandler(method, handler);
  const end = await connectTo(client, url);
  try {
    await work(client);
  } finally {
    await end();
  }
}
