import { Client, StreamableHTTPClientTransport } from 'crosspoint/client';

/** Connects, runs `work`, and closes the client in any case. `handlers` answer the server's questions, by method. */
export async function withClient(url, { capabilities = {}, handlers = {} }, work) {
  const client = new Client({ name: 'crosspoint-conformance', version: '1.0.0' }, { capabilities });
  for (const [method, handler] of Object.entries(handlers)) client.setRequestHandler(method, handler);
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    await work(client);
  } finally {
    await client.close();
  }
}
