import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { fastify } from 'fastify';
import { streamableHttp } from 'fastify-mcp';
import { z } from 'zod';

function createServer() {
  const server = new McpServer({ name: 'fastify', version: '1.0.0' });
  server.tool('add', 'Adds two numbers', { a: z.number(), b: z.number().describe('the second') }, async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  return server.server;
}

const app = fastify();
await app.register(streamableHttp, { stateful: false, mcpEndpoint: '/mcp', createServer });
console.log(`${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp`);
