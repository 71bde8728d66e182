import { MCPToolset } from '@google/adk';
import { args, command, tell, url } from './steps.mjs';

const toolset = new MCPToolset(
  url === undefined
    ? { type: 'StdioConnectionParams', serverParams: { command, args } }
    : { type: 'StreamableHTTPConnectionParams', url },
);
const tools = await toolset.getTools();
const call = (name, params = {}) =>
  tools.find((tool) => tool.name === name).runAsync({ args: params, toolContext: { actions: {} } });
await tell(
  {
    tools: () => tools.map(({ name }) => name),
    answer: async () => (await call('add', { a: 2, b: 40 })).content[0].text,
    structured: async () => (await call('measure')).structuredContent,
    read: async () => (await toolset.readResource('one'))[0].text,
  },
  () => toolset.close(),
);
