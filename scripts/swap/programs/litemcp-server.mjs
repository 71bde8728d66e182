import { LiteMCP } from 'litemcp';
import { z } from 'zod';

const server = new LiteMCP('litemcp', '1.0.0');
server.addTool({
  name: 'add',
  description: 'Adds two numbers',
  parameters: z.object({ a: z.number(), b: z.number().describe('the second') }),
  execute: async ({ a, b }) => a + b,
});
server.addResource({ uri: 'note:///one', name: 'one', mimeType: 'text/plain', load: async () => ({ text: 'first' }) });
server.addPrompt({
  name: 'greet',
  description: 'Greets',
  arguments: [{ name: 'who', description: 'a name', required: true }],
  load: async ({ who }) => `Hello, ${who}!`,
});
await server.start();
