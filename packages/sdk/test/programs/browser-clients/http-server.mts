import { randomUUID, webcrypto } from 'node:crypto';
import cors from 'cors';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

// Older versions of Node have it only in a module.
if (typeof globalThis.crypto === 'undefined') Object.assign(globalThis, { crypto: webcrypto });

const app = express();
app.use(express.json());
app.use(
  cors({
    origin: '*',
    exposedHeaders: ['Mcp-Session-Id'],
    allowedHeaders: ['Content-Type', 'mcp-session-id', 'accept'],
  }),
);

const sessions = new Map<string, StreamableHTTPServerTransport>();
app.all('/mcp', async (req, res) => {
  let transport = sessions.get(String(req.headers['mcp-session-id']));
  if (transport === undefined) {
    const opened = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, opened);
      },
    });
    const server = new McpServer({ name: 'for-pages', version: '1.0.0' });
    server.registerTool('greet', {}, () => ({ content: [{ type: 'text', text: 'Hello, page!' }] }));
    await server.connect(opened);
    transport = opened;
  }
  await transport.handleRequest(req, res, req.body);
});

const http = app.listen(Number(process.env['PORT']), '127.0.0.1', () => {
  const address = http.address();
  console.log(`listening on ${typeof address === 'object' ? address?.port : address}`);
});
