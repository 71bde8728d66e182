import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { McpClient } from '@strands-agents/sdk';
import { args, command, giveUp, tell, url } from './steps.mjs';

const logged = [];
const client = new McpClient({
  ...(url === undefined ? { transport: new StdioClientTransport({ command, args }) } : { url }),
  elicitationCallback: async () => ({ action: 'accept', content: { colour: 'blue' } }),
  logHandler: ({ data }) => logged.push(data),
});
const tools = await client.listTools();
const toolOf = (name) => tools.find((tool) => tool.name === name);
const call = (name, params = {}, options = {}) => client.callTool(toolOf(name), params, options);
await tell(
  {
    tools: () => tools.map(({ name }) => name),
    answer: async () => (await call('add', { a: 2, b: 40 })).content[0].text,
    structured: async () => (await call('measure')).structuredContent,
    asked: async () => (await call('ask')).content[0].text,
    log: async () => {
      await call('tell');
      return logged;
    },
    cancelled: () => giveUp((signal) => call('wait', {}, { signal })),
  },
  () => client.disconnect(),
);
