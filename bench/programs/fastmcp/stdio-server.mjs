import { FastMCP } from 'fastmcp';
import * as z from 'zod';

const server = new FastMCP({ name: 'shop', version: '1.0.0' });
server.addTool({
  name: 'add',
  description: 'Adds two numbers',
  parameters: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  execute: async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
    structuredContent: { sum: a + b },
  }),
});
await server.start({ transportType: 'stdio' });
