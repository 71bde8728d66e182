// The adapter of this SDK for a client of the official one.
import { mcpToTool } from '@google/genai';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { args, command, tell, url } from './steps.mjs';

const client = new Client({ name: 'peer', version: '1.0.0' });
await client.connect(
  url === undefined ? new StdioClientTransport({ command, args }) : new StreamableHTTPClientTransport(new URL(url)),
);
const tool = mcpToTool(client);
await tell(
  {
    tools: async () => (await tool.tool()).functionDeclarations.map(({ name }) => name),
    answer: async () => {
      const [part] = await tool.callTool([{ name: 'add', args: { a: 2, b: 40 } }]);
      return part.functionResponse.response.content[0].text;
    },
  },
  () => client.close(),
);
