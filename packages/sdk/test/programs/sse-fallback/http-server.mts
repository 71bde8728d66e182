// The older transport, alone under one path and beside the newer one under another.
import { randomUUID } from 'node:crypto';
import express from 'express';
import * as z from 'zod/v4';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';

function clock(): McpServer {
  const server = new McpServer({ name: 'clock', version: '1.0.0' }, { capabilities: { logging: {} } });
  server.registerTool(
    'strike',
    { inputSchema: { hours: z.number() } },
    async ({ hours }, { sendNotification, sessionId }) => {
      for (let hour = 1; hour <= hours; hour += 1)
        await sendNotification({ method: 'notifications/message', params: { level: 'info', data: `strike ${hour}` } });
      return { content: [{ type: 'text', text: sessionId === undefined ? 'nobody' : 'a session' }] };
    },
  );
  return server;
}

const old: Record<string, SSEServerTransport> = {};
const current: Record<string, StreamableHTTPServerTransport> = {};
const app = express();
app.use(express.json());

app.get('/old', async (_req, res) => {
  const transport = new SSEServerTransport('/messages', res);
  old[transport.sessionId] = transport;
  transport.onclose = () => {
    delete old[transport.sessionId];
  };
  await clock().connect(transport);
});
app.post('/messages', async (req, res) => {
  const transport = old[String(req.query['sessionId'])];
  if (transport) await transport.handlePostMessage(req, res, req.body);
  else res.status(404).send('There is no such session');
});
app.all('/new', async (req, res) => {
  const id = req.headers['mcp-session-id'];
  let transport = typeof id === 'string' ? current[id] : undefined;
  if (!transport && isInitializeRequest(req.body)) {
    const opened: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => {
        current[session] = opened;
      },
    });
    await clock().connect(opened);
    transport = opened;
  }
  if (transport) await transport.handleRequest(req, res, req.body);
  else res.status(400).send('There is no such session');
});
app.get('/state', (_req, res) => {
  res.json({ old: Object.keys(old).length, current: Object.keys(current).length });
});

const listener = app.listen(Number(process.env['PORT']), '127.0.0.1', () => {
  const address = listener.address();
  console.log(`listening on ${typeof address === 'object' ? address?.port : address}`);
});
