import { Client } from '@modelcontextprotocol/client';

const PER_REQUEST = '2026-07-28';

/** The library's client speaks the handshake family by default. */
export async function connectClient(transport, { revision }) {
  const options = revision === PER_REQUEST ? { versionNegotiation: { mode: { pin: revision } } } : {};
  const client = new Client({ name: 'bench-client', version: '1.0.0' }, options);
  await client.connect(transport);
  return (name, args) => client.callTool({ name, arguments: args });
}
