import { createMcpClient } from '@genkit-ai/mcp';
import { genkit } from 'genkit';
import { args, command, tell, url } from './steps.mjs';

const ai = genkit({});
const roots = [{ uri: 'file:///peers', name: 'peers' }];
const client = createMcpClient({
  name: 'peer',
  mcpServer: url === undefined ? { command, args, roots } : { url, roots },
});
await client.ready();
const tools = await client.getActiveTools(ai);
const call = (name, params = {}) => tools.find((tool) => tool.__action.name.endsWith(`/${name}`))(params);
await tell(
  {
    tools: () => tools.map((tool) => tool.__action.name.split('/').at(-1)),
    answer: async () => String(await call('add', { a: 2, b: 40 })),
    read: async () => {
      const [resource] = await client.getActiveResources(ai);
      return (await resource({ uri: 'note:///one' })).content[0].text;
    },
    prompt: async () => {
      const prompt = await client.getPrompt(ai, 'greet');
      return (await prompt.render({ who: 'you' })).messages[0].content[0].text;
    },
    roots: async () => String(await call('roots')),
  },
  () => client.disable(),
);
