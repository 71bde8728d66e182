import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

export async function start({ command, args }) {
  const transport = new StdioClientTransport({ command, args });
  const client = new Client({ name: 'bench-client', version: '1.0.0' });
  await client.connect(transport);
  return {
    call: (name, args) => client.callTool({ name, arguments: args }),
    commands: { serverPid: () => transport.pid },
  };
}
