import { McpServer, serveStdio, text } from 'crosspoint/server/stdio';
import * as z from 'zod';

const server = new McpServer({ name: 'example', version: '1.0.0' });
server.registerTool(
  'greet',
  { description: 'Greets somebody by name', inputSchema: { name: z.string() } },
  ({ name }) => text(`Hello, ${name}!`),
);

await serveStdio(server);
