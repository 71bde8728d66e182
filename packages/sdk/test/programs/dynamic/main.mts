// What a server offers changes while a client is connected.
import * as z from 'zod/v4';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer, ResourceTemplate, type RegisteredTool } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { say } from '../say.mjs';

const server = new McpServer({ name: 'market', version: '1.0.0' });
const sell = server.registerTool('sell', { inputSchema: { what: z.string() } }, ({ what }) => ({
  content: [{ type: 'text', text: `sold ${what}` }],
}));
const close: RegisteredTool = server.registerTool('close', { description: 'For the evening' }, () => ({ content: [] }));
close.disable();
const sign = server.registerResource('sign', 'market://sign', { mimeType: 'text/plain' }, (uri) => ({
  contents: [{ uri: uri.href, text: 'Open' }],
}));
const stall = server.registerResource(
  'stall',
  new ResourceTemplate('market://stalls/{number}', {
    list: () => ({ resources: [{ name: 'first', uri: 'market://stalls/1' }] }),
  }),
  {},
  (uri, { number }) => ({ contents: [{ uri: uri.href, text: `Stall ${String(number)}` }] }),
);
const greet = server.registerPrompt('greet', { argsSchema: { who: z.string().optional() } }, ({ who }) => ({
  messages: [{ role: 'user', content: { type: 'text', text: `Welcome ${who ?? 'all'}` } }],
}));

const client = new Client({ name: 'visitor', version: '1.0.0' });
const changes: Record<string, number> = { tools: 0, resources: 0, prompts: 0 };
const count = (what: string) => (): void => {
  changes[what] = (changes[what] ?? 0) + 1;
};
client.setNotificationHandler(ToolListChangedNotificationSchema, count('tools'));
client.setNotificationHandler(ResourceListChangedNotificationSchema, count('resources'));
client.setNotificationHandler(PromptListChangedNotificationSchema, count('prompts'));

const [near, far] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(near), client.connect(far)]);

async function offered(what: string): Promise<void> {
  const { tools } = await client.listTools();
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const { prompts } = await client.listPrompts();
  const names = (all: { name: string }[]): string[] => all.map(({ name }) => name).sort();
  say(what, {
    tools: names(tools),
    resources: names(resources),
    templates: names(resourceTemplates),
    prompts: names(prompts),
    changed: Object.keys(changes).filter((kind) => changes[kind] !== 0),
  });
  for (const kind of Object.keys(changes)) changes[kind] = 0;
}

await offered('at first');
close.enable();
say('enabled', close.enabled);
await offered('one enabled');
sell.update({ name: 'trade', description: 'Buys too', paramsSchema: { what: z.string(), price: z.number() } });
await offered('one renamed');
const trade = (await client.listTools()).tools.find(({ name }) => name === 'trade');
say('trade', { description: trade?.description, required: trade?.inputSchema.required });
close.update({ callback: () => ({ content: [{ type: 'text', text: 'Good night' }] }) });
say('close', (await client.callTool({ name: 'close' })).content);
sign.update({
  metadata: { mimeType: 'text/markdown' },
  callback: (uri) => ({ contents: [{ uri: uri.href, text: '# Open' }] }),
});
say('sign', (await client.readResource({ uri: 'market://sign' })).contents);
say('kind', (await client.listResources()).resources.find(({ name }) => name === 'sign')?.mimeType);
await offered('one resource changed');
stall.disable();
say('disabled', stall.enabled);
stall.enable();
stall.update({
  template: new ResourceTemplate('market://booths/{number}', { list: undefined }),
  callback: (uri, { number }) => ({ contents: [{ uri: uri.href, text: `Booth ${String(number)}` }] }),
});
say('booth', (await client.readResource({ uri: 'market://booths/4' })).contents);
await offered('another template');
greet.update({ title: 'Greeting', callback: () => ({ messages: [] }) });
say('greet', await client.getPrompt({ name: 'greet' }));
await offered('a prompt changed');
server.registerTool('haggle', {}, () => ({ content: [] }));
server.registerPrompt('farewell', {}, () => ({ messages: [] }));
await offered('two more');
close.remove();
sign.remove();
greet.remove();
await offered('three less');
const gone = await client
  .callTool({ name: 'close' })
  .catch((error: { code: number }) => ({ isError: true, code: error.code }));
say('gone', { refused: gone.isError });
await client.close();
say('done');
