// A tool, a template and a prompt under one name: three namespaces.
import * as z from 'zod/v4';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { say, refusal } from '../say.mjs';

const server = new McpServer({ name: 'valley', version: '1.0.0' });
server.registerTool(
  'echo',
  { title: 'Call', inputSchema: { words: z.string() }, outputSchema: { heard: z.string() } },
  async ({ words }) => {
    const output = { heard: `${words}, ${words}` };
    return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output };
  },
);
server.registerResource(
  'echo',
  new ResourceTemplate('valley://{words}', { list: undefined }),
  { title: 'A stored call' },
  async (uri, { words }) => ({
    contents: [{ uri: uri.href, text: `${uri instanceof URL ? 'URL' : 'text'} ${String(words)}` }],
  }),
);
server.registerPrompt('echo', { title: 'Ask for a call', argsSchema: { words: z.string() } }, ({ words }) => ({
  messages: [{ role: 'user', content: { type: 'text', text: `Call out: ${words}` } }],
}));
server.registerPrompt('later', { description: 'Takes its time' }, async () => ({
  description: 'made later',
  messages: [{ role: 'assistant', content: { type: 'text', text: 'Here it is.' } }],
}));

const [near, far] = InMemoryTransport.createLinkedPair();
const client = new Client({ name: 'hiker', version: '1.0.0' });
await Promise.all([server.connect(near), client.connect(far)]);

say('tool', await client.callTool({ name: 'echo', arguments: { words: 'hello' } }));
say('resource', await client.readResource({ uri: 'valley://good-day' }));
say('prompts', (await client.listPrompts()).prompts);
say('prompt', await client.getPrompt({ name: 'echo', arguments: { words: 'hello' } }));
say('later', await client.getPrompt({ name: 'later' }));
say('no such prompt', await refusal(client.getPrompt({ name: 'nobody' })).then(codeOf));
say('arguments missing', await refusal(client.getPrompt({ name: 'echo', arguments: {} })).then(codeOf));
say('no such resource', ((await refusal(client.readResource({ uri: 'hill://x' }))) as { name: string }).name);
say(
  'registered twice',
  await refusal(Promise.resolve().then(() => server.registerPrompt('echo', {}, () => ({ messages: [] })))),
);
say('connected', server.isConnected());
await client.close();
say('connected', server.isConnected());
say('done');

function codeOf(failure: unknown): unknown {
  const { name, code } = failure as { name: string; code: number };
  return { name, code };
}
