import { mcp } from '@llamaindex/tools';
import { args, command, tell, url } from './steps.mjs';

const client = mcp(url === undefined ? { command, args } : { url });
const tools = await client.tools();
await tell(
  {
    tools: () => tools.map(({ metadata }) => metadata.name),
    answer: async () => {
      const result = await tools.find(({ metadata }) => metadata.name === 'add').call({ a: 2, b: 40 });
      return result.content?.[0]?.text ?? result;
    },
  },
  () => client.cleanup(),
);
