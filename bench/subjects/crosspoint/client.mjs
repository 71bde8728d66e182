import { Client } from 'crosspoint/client';

/** A client that speaks one family, with all other options at their defaults. */
export async function connectClient(transport, { revision }) {
  const client = new Client({ name: 'bench-client', version: '1.0.0' }, { revisions: [revision] });
  await client.connect(transport);
  return (name, args) => client.callTool({ name, arguments: args });
}
