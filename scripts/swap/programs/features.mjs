// The same tool, resource, prompt and question for every framework that hands out a McpServer of v1.
import { z } from 'zod';

export function addFeatures(server) {
  server.registerTool(
    'add',
    { description: 'Adds two numbers', inputSchema: { a: z.number(), b: z.number().describe('the second') } },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  );
  server.registerTool('ask', { description: 'Asks for a colour' }, async () => {
    const properties = { colour: { type: 'string' } };
    const requestedSchema = { type: 'object', properties, required: ['colour'] };
    const { action, content } = await server.server.elicitInput({ message: 'Which colour?', requestedSchema });
    return { content: [{ type: 'text', text: `${action}: ${content?.colour}` }] };
  });
  server.registerResource('one', 'note:///one', { mimeType: 'text/plain' }, async (uri) => ({
    contents: [{ uri: uri.href, text: 'first' }],
  }));
  server.registerPrompt('greet', { argsSchema: { who: z.string() } }, async ({ who }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Hello, ${who}!` } }],
  }));
}
