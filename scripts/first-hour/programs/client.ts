import { StdioClientTransport, TransportClient } from 'crosspoint/client/stdio';

/** Starts the server that is named by the arguments, and calls its tool. */
async function main(): Promise<void> {
  const client = new TransportClient({ name: 'visitor', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: process.argv.slice(2) }));
  const { content } = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
  console.log(JSON.stringify(content));
  await client.close();
}

void main();
