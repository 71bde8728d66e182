// mastra-client.mjs COMMAND ARGS… | URL: prints what the client of Mastra finds, and what it answers when it is asked.
import { MCPClient } from '@mastra/mcp';

const [first, ...args] = process.argv.slice(2);
const server = first.startsWith('http') ? { url: new URL(first) } : { command: first, args };
const client = new MCPClient({ servers: { ours: server } });
await client.elicitation.onRequest('ours', async () => ({ action: 'accept', content: { colour: 'blue' } }));
const tools = await client.listTools();
const called = await tools.ours_add.execute({ a: 2, b: 40 });
// Fails in revisions in which a server cannot ask.
const asked = await tools.ours_ask.execute({}).catch(() => undefined);
const { contents } = await client.resources.read('ours', 'note:///one');
const { messages } = await client.prompts.get({ serverName: 'ours', name: 'greet', args: { who: 'you' } });
console.log(
  JSON.stringify({
    tools: Object.keys(tools).map((name) => name.slice('ours_'.length)),
    answer: called.content[0].text,
    asked: asked?.content[0].text,
    read: contents[0].text,
    prompt: messages[0].content.text,
  }),
);
await client.disconnect();
