// langchain-client.mjs COMMAND ARGS… | URL: prints what the adapters of LangChain find.
import { MultiServerMCPClient } from '@langchain/mcp-adapters';

const [first, ...args] = process.argv.slice(2);
const server = first.startsWith('http')
  ? { transport: 'http', url: first }
  : { transport: 'stdio', command: first, args };
const client = new MultiServerMCPClient({ mcpServers: { ours: server } });
const tools = await client.getTools();
const answer = await tools.find(({ name }) => name === 'add').invoke({ a: 2, b: 40 });
const [note] = await client.readResource('ours', 'note:///one');
console.log(JSON.stringify({ tools: tools.map(({ name }) => name), answer, read: note.text }));
await client.close();
