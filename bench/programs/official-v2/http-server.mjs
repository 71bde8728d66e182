import { createServer } from 'node:http';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

const handler = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: 'shop', version: '1.0.0' });
    server.registerTool(
      'add',
      {
        description: 'Adds two numbers',
        inputSchema: z.object({ a: z.number(), b: z.number() }),
        outputSchema: z.object({ sum: z.number() }),
      },
      ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
    );
    return server;
  }),
);
const validateHost = localhostHostValidation();
const validateOrigin = localhostOriginValidation();
createServer((request, response) => {
  if (validateHost(request, response) && validateOrigin(request, response)) void handler(request, response);
}).listen(3000, '127.0.0.1');
