import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { args, command, giveUp, tell, url } from './steps.mjs';

const seen = { progress: [], log: [] };
const client = new MultiServerMCPClient({
  mcpServers: { ours: url === undefined ? { transport: 'stdio', command, args } : { transport: 'http', url } },
  onProgress: ({ progress }) => seen.progress.push(progress),
  onMessage: ({ data }) => seen.log.push(data),
});
const tools = await client.getTools();
const call = (name, params = {}, config = {}) => tools.find((tool) => tool.name === name).invoke(params, config);
await tell(
  {
    tools: () => tools.map(({ name }) => name),
    answer: () => call('add', { a: 2, b: 40 }),
    read: async () => (await client.readResource('ours', 'note:///one'))[0].text,
    template: async () => (await client.readResource('ours', 'page:///7'))[0].text,
    progress: async () => (await call('count'), seen.progress),
    log: async () => {
      await client.setLoggingLevel('info');
      await call('tell');
      return seen.log;
    },
    cancelled: () => giveUp((signal) => call('wait', {}, { signal })),
  },
  () => client.close(),
);
