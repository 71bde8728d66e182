import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { connectClient } from './client.mjs';

export async function start({ command, args, revision }) {
  const transport = new StdioClientTransport({ command, args });
  return { call: await connectClient(transport, { revision }), commands: { serverPid: () => transport.pid } };
}
