// mcp-client.mjs COMMAND ARGS… | URL: prints what the package mcp-client finds.
import { MCPClient } from 'mcp-client';

const [first, ...args] = process.argv.slice(2);
const client = new MCPClient({ name: 'swap', version: '1.0.0' });
await client.connect(
  first.startsWith('http') ? { type: 'httpStream', url: first } : { type: 'stdio', command: first, args },
);
const tools = await client.getAllTools();
const { content } = await client.callTool({ name: 'add', arguments: { a: 2, b: 40 } });
const { contents } = await client.getResource({ uri: 'note:///one' });
const { messages } = await client.getPrompt({ name: 'greet', arguments: { who: 'you' } });
console.log(
  JSON.stringify({
    tools: tools.map(({ name }) => name),
    answer: content[0].text,
    read: contents[0].text,
    prompt: messages[0].content.text,
  }),
);
await client.close();
