import { createServer } from 'node:http';
import express from 'express';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  hostHeaderValidation,
  localhostHostValidation,
} from '@modelcontextprotocol/sdk/server/middleware/hostHeaderValidation.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const serve: express.RequestHandler = async (req, res) => {
  const server = new McpServer({ name: 'house', version: '1.0.0' });
  server.registerTool('knock', {}, () => ({ content: [{ type: 'text', text: 'come in' }] }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  res.on('close', () => {
    void transport.close();
    void server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
};

// One that is made for the local machine.
const app = createMcpExpressApp();
app.post('/local', serve);
// One for the names it was given, and one by hand.
const named = createMcpExpressApp({ host: '0.0.0.0', allowedHosts: ['mcp.example'] });
named.post('/named', serve);
const byHand = express();
byHand.use(express.json());
byHand.post('/by-hand', hostHeaderValidation(['hand.example']), serve);
byHand.post('/by-hand-local', localhostHostValidation(), serve);

// One that looks at hosts and origins in its transport.
const guarded: express.RequestHandler = async (req, res) => {
  const server = new McpServer({ name: 'guarded', version: '1.0.0' });
  server.registerTool('knock', {}, () => ({ content: [] }));
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
    enableDnsRebindingProtection: true,
    allowedHosts: [String(req.headers['x-expected-host'])],
    allowedOrigins: ['https://friend.example'],
  });
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
};
byHand.post('/guarded', guarded);

const http = createServer((req, res) => {
  if (req.url === '/local') app(req, res);
  else if (req.url === '/named') named(req, res);
  else byHand(req, res);
});
http.listen(Number(process.env['PORT']), '127.0.0.1', () => {
  const address = http.address();
  console.log(`listening on ${typeof address === 'object' ? address?.port : address}`);
});
