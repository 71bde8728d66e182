// The shorter spellings that came first, each in every form it takes.
import * as z from 'zod/v4';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CompatibilityCallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { say } from '../say.mjs';

const server = new McpServer({ name: 'museum', version: '1.0.0' });
const plain = (text: string): { content: { type: 'text'; text: string }[] } => ({ content: [{ type: 'text', text }] });

server.tool('bare', () => plain('bare'));
server.tool('described', 'With a description', (extra) => plain(`described, ${typeof extra.requestId}`));
server.tool('shaped', { year: z.number() }, ({ year }) => plain(`from ${year}`));
server.tool('both', 'Described and shaped', { year: z.number() }, async ({ year }, { signal }) =>
  plain(`${year}, ${signal.aborted}`),
);
server.tool('annotated', { readOnlyHint: true, title: 'Look' }, () => plain('annotated'));
server.tool('all', 'Everything', { name: z.string().default('nobody') }, { destructiveHint: false }, ({ name }) =>
  plain(name),
);

server.resource('plan', 'museum://plan', (uri) => ({ contents: [{ uri: uri.href, text: 'Two floors' }] }));
server.resource('rules', 'museum://rules', { mimeType: 'text/plain', description: 'Read me' }, (uri) => ({
  contents: [{ uri: uri.href, text: 'Do not touch' }],
}));
server.resource('hall', new ResourceTemplate('museum://halls/{hall}', { list: undefined }), (uri, { hall }) => ({
  contents: [{ uri: uri.href, text: `Hall ${String(hall)}` }],
}));

server.prompt('tour', () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'Show me all' } }] }));
server.prompt('short-tour', 'In an hour', () => ({ messages: [] }));
server.prompt('guided', { guide: z.string() }, ({ guide }) => ({
  messages: [{ role: 'user', content: { type: 'text', text: `With ${guide}` } }],
}));
server.prompt('guided-described', 'With a guide', { guide: z.string().optional() }, () => ({ messages: [] }));

const [near, far] = InMemoryTransport.createLinkedPair();
const client = new Client({ name: 'visitor', version: '1.0.0' });
await Promise.all([server.connect(near), client.connect(far)]);

const { tools } = await client.listTools();
say(
  'tools',
  tools.map(({ name, description, annotations, inputSchema }) => ({
    name,
    description,
    annotations,
    properties: Object.keys(inputSchema.properties ?? {}),
  })),
);
for (const [name, args] of Object.entries({
  bare: {},
  described: {},
  shaped: { year: 1900 },
  both: { year: 2 },
  annotated: {},
  all: {},
}))
  say(name, (await client.callTool({ name, arguments: args }, CompatibilityCallToolResultSchema)).content);
say('resources', (await client.listResources()).resources);
for (const uri of ['museum://plan', 'museum://rules', 'museum://halls/3'])
  say(uri, (await client.readResource({ uri })).contents);
say('prompts', (await client.listPrompts()).prompts);
say('tour', (await client.getPrompt({ name: 'tour' })).messages);
say('guided', (await client.getPrompt({ name: 'guided', arguments: { guide: 'Eve' } })).messages);
await client.close();
say('done');
