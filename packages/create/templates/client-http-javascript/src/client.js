import { Client } from 'crosspoint/client';

/** Connects to the server at an address, whichever revision of the protocol it speaks. */
export async function connect(url) {
  const client = new Client({ name: 'crosspoint-project', version: '1.0.0' });
  await client.connect(url);
  return client;
}

/** Says which tools a server has. */
export async function describeServer(client) {
  const { tools } = await client.listTools();
  const name = client.getServerVersion()?.name;
  const lines = tools.map((tool) => `- ${tool.name}: ${tool.description ?? ''}`);
  return [`${name} speaks ${client.getNegotiatedProtocolVersion()} and has these tools:`, ...lines].join('\n');
}
