import { StdioClientTransport, TransportClient } from 'crosspoint/client/stdio';

/** Starts a server and connects to it. `close` of the client ends the server. */
export async function connect(command: string, args: string[]): Promise<TransportClient> {
  const client = new TransportClient({ name: 'crosspoint-project', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command, args }));
  return client;
}

/** Says which tools a server has. */
export async function describeServer(client: TransportClient): Promise<string> {
  const { tools } = await client.listTools();
  const name = client.getServerVersion()?.name;
  const lines = tools.map((tool) => `- ${tool.name}: ${tool.description ?? ''}`);
  return [`${name} speaks ${client.getNegotiatedProtocolVersion()} and has these tools:`, ...lines].join('\n');
}
