// The same tool, resource and prompt for every framework that hands out a McpServer of version 2 of the official SDK.
import { completable } from '@modelcontextprotocol/server';
import { z } from 'zod';

export function addV2Features(server) {
  server.registerTool(
    'add',
    { description: 'Adds two numbers', inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  );
  server.registerResource('one', 'note:///one', { mimeType: 'text/plain' }, async (uri) => ({
    contents: [{ uri: uri.href, text: 'first' }],
  }));
  const who = completable(z.string(), (typed) => ['you', 'me'].filter((name) => name.startsWith(typed)));
  server.registerPrompt('greet', { argsSchema: z.object({ who }) }, async ({ who: name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Hello, ${name}!` } }],
  }));
}
