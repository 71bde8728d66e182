import { McpServer, ResourceTemplate, text } from 'crosspoint/server';
import * as z from 'zod';

/** The smallest server with a tool, a resource and a prompt, each of which returns its input. */
export function createEchoServer(): McpServer {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });

  server.registerTool('echo', { description: 'Says it again', inputSchema: { message: z.string() } }, ({ message }) =>
    text(message),
  );

  server.registerResource(
    'echo',
    new ResourceTemplate('echo://{message}', { list: undefined }),
    { description: 'Says it again' },
    (uri, { message }) => ({ contents: [{ uri: uri.href, text: String(message) }] }),
  );

  server.registerPrompt(
    'echo',
    { description: 'Asks a model to say it again', argsSchema: { message: z.string() } },
    ({ message }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Please say: ${message}` } }],
    }),
  );
  return server;
}
