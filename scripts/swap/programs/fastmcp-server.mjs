import { FastMCP } from 'fastmcp';
import { z } from 'zod';

const server = new FastMCP({ name: 'fastmcp', version: '1.0.0' });
server.addTool({
  name: 'add',
  description: 'Adds two numbers',
  parameters: z.object({ a: z.number(), b: z.number().describe('the second') }),
  execute: async ({ a, b }, { log }) => {
    log.info('adding');
    return String(a + b);
  },
});
server.addResource({ uri: 'note:///one', name: 'one', mimeType: 'text/plain', load: async () => ({ text: 'first' }) });
server.addPrompt({
  name: 'greet',
  arguments: [{ name: 'who', description: 'a name', required: true }],
  load: async ({ who }) => `Hello, ${who}!`,
});
await server.start({ transportType: 'stdio' });
