import { InMemoryTransport } from '@tmcp/transport-in-memory';
import { createServer } from './server.mjs';

const PER_REQUEST = '2026-07-28';

/** The library has no client; this is its test helper, which does less than one. */
export async function start({ revision, ...options }) {
  const transport = new InMemoryTransport(createServer(options));
  const clientInfo = { name: 'bench-client', version: '1.0.0' };
  if (revision === PER_REQUEST) {
    const client = transport.stateless({ clientCapabilities: {}, clientInfo });
    return { call: (name, args) => client.callTool(name, args) };
  }
  const session = transport.session();
  await session.initialize(revision, {}, clientInfo);
  return { call: (name, args) => session.callTool(name, args) };
}
