import { InMemoryTransport } from 'crosspoint/testing';
import { connectClient } from './client.mjs';
import { createServer } from './server.mjs';

export async function start({ revision, ...options }) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await (await createServer(options)).connect(far);
  return { call: await connectClient(near, { revision }) };
}
