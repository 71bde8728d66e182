// The same tool in the words of either version of zod: equal schemas, equal checks.
import * as z3 from 'zod/v3';
import * as z4 from 'zod/v4';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { say } from '../say.mjs';

const server = new McpServer({ name: 'both', version: '1.0.0' });
const answer = (args: unknown): { content: { type: 'text'; text: string }[]; structuredContent: { args: string } } => ({
  content: [{ type: 'text', text: JSON.stringify(args) }],
  structuredContent: { args: JSON.stringify(args) },
});
server.registerTool(
  'three',
  {
    inputSchema: {
      name: z3.string().min(2).describe('Who'),
      age: z3.number().int().optional(),
      tags: z3.array(z3.string()).default([]),
    },
    outputSchema: { args: z3.string() },
  },
  ({ name, age, tags }) => answer({ name, age, tags: tags.length }),
);
server.registerTool(
  'four',
  {
    inputSchema: {
      name: z4.string().min(2).describe('Who'),
      age: z4.number().int().optional(),
      tags: z4.array(z4.string()).default([]),
    },
    outputSchema: { args: z4.string() },
  },
  ({ name, age, tags }) => answer({ name, age, tags: tags.length }),
);
server.registerTool('object', { inputSchema: z4.object({ name: z4.string() }) }, ({ name }) => answer({ name }));
server.registerPrompt('three', { argsSchema: { who: z3.string(), when: z3.string().optional() } }, ({ who }) => ({
  messages: [{ role: 'user', content: { type: 'text', text: who } }],
}));

const [near, far] = InMemoryTransport.createLinkedPair();
const client = new Client({ name: 'caller', version: '1.0.0' });
await Promise.all([server.connect(near), client.connect(far)]);

const { tools } = await client.listTools();
for (const { name, inputSchema, outputSchema } of tools) {
  const properties = (inputSchema.properties ?? {}) as Record<
    string,
    { type?: string; description?: string; minLength?: number }
  >;
  say(name, {
    type: inputSchema.type,
    required: inputSchema.required,
    properties: Object.entries(properties).map(([key, { type, description, minLength }]) => ({
      key,
      type,
      description,
      minLength,
    })),
    output: outputSchema?.required,
  });
}
for (const name of ['three', 'four', 'object']) {
  say(name, (await client.callTool({ name, arguments: { name: 'Ada' } })).structuredContent);
  say(`${name} refuses`, (await client.callTool({ name, arguments: { name: 7 } })).isError);
}
say('prompt', (await client.listPrompts()).prompts[0]?.arguments);
await client.close();
say('done');
