// openai-agents-client.mjs COMMAND ARGS… | URL: prints what the agents SDK of OpenAI finds.
import { MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents-core';

const [first, ...args] = process.argv.slice(2);
const server = first.startsWith('http')
  ? new MCPServerStreamableHttp({ name: 'ours', url: first })
  : new MCPServerStdio({ name: 'ours', command: first, args });
await server.connect();
const tools = await server.listTools();
const content = await server.callTool('add', { a: 2, b: 40 });
console.log(JSON.stringify({ tools: tools.map(({ name }) => name), answer: content[0].text }));
await server.close();
