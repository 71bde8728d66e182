// One server, and a transport of its own for every POST: nothing is kept between two requests.
import express from 'express';
import * as z from 'zod/v4';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const server = new McpServer({ name: 'tailor', version: '3.1.0' });

server.registerTool(
  'area',
  {
    title: 'Cloth area',
    description: 'How much cloth a rectangle takes',
    inputSchema: { width: z.number().positive(), height: z.number().positive() },
    outputSchema: { area: z.number(), unit: z.enum(['m2']) },
  },
  async ({ width, height }) => {
    const measured = { area: width * height, unit: 'm2' as const };
    return { content: [{ type: 'text', text: JSON.stringify(measured) }], structuredContent: measured };
  },
);

server.registerTool(
  'misprint',
  { description: 'Promises a number and gives a word', outputSchema: { area: z.number() } },
  async () => ({ content: [], structuredContent: { area: 'wide' } }),
);

server.registerResource(
  'pattern',
  new ResourceTemplate('pattern://{customer}', { list: undefined }),
  { title: 'Cutting pattern', description: 'The pattern of a customer' },
  async (uri, { customer }) => ({ contents: [{ uri: uri.href, text: `Pattern for ${String(customer)}` }] }),
);

const app = express();
app.use(express.json());

app.post('/mcp', async (req, res) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  res.on('close', () => {
    void transport.close();
  });
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});

const port = Number.parseInt(process.env['PORT'] ?? '3000', 10);
const listener = app
  .listen(port, '127.0.0.1', () => {
    const address = listener.address();
    console.log(`listening on ${typeof address === 'object' ? address?.port : address}`);
  })
  .on('error', (error) => {
    console.error('The server did not start:', error);
    process.exit(1);
  });
