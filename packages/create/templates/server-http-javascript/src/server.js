import { McpServer, text } from 'crosspoint/server';
import * as z from 'zod';

/** Makes the server. Everything that it offers is registered here. */
export function createMcpServer() {
  const server = new McpServer({ name: 'crosspoint-project', version: '1.0.0' });

  server.registerTool(
    'greet',
    { description: 'Greets somebody by name', inputSchema: { name: z.string().describe('Who is greeted') } },
    ({ name }) => text(`Hello, ${name}!`),
  );

  return server;
}
