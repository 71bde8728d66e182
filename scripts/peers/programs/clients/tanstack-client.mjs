import { createMCPClient } from '@tanstack/ai-mcp';
import { stdioTransport } from '@tanstack/ai-mcp/stdio';
import { args, command, tell, url } from './steps.mjs';

const client = await createMCPClient({
  transport: url === undefined ? stdioTransport({ command, args }) : { type: 'http', url },
});
await tell(
  {
    tools: async () => (await client.tools()).map(({ name }) => name),
    answer: async () => (await client.callTool('add', { a: 2, b: 40 })).content[0].text,
    structured: async () => (await client.callTool('measure')).structuredContent,
    read: async () => (await client.readResource('note:///one')).contents[0].text,
    template: async () => (await client.readResource('page:///7')).contents[0].text,
    prompt: async () => (await client.getPrompt('greet', { who: 'you' })).messages[0].content.text,
  },
  () => client.close(),
);
