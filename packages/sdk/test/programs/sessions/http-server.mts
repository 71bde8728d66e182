import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { ListEventStore } from './event-store.mjs';

const open: Record<string, StreamableHTTPServerTransport> = {};
const closedByClient: string[] = [];
let forgotten = 0;

/** What every session gets: a counter of its own. */
function counter(): McpServer {
  const server = new McpServer({ name: 'counter', version: '1.0.0' }, { capabilities: { logging: {} } });
  let count = 0;
  server.registerTool('next', {}, ({ sessionId }) => {
    count += 1;
    return { content: [{ type: 'text', text: `${count} of ${sessionId === undefined ? 'nobody' : 'a session'}` }] };
  });
  server.registerTool('drop', { description: 'Closes its stream before it has answered' }, async (extra) => {
    await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'before' } });
    extra.closeSSEStream?.();
    await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'after' } });
    return { content: [{ type: 'text', text: 'dropped and found again' }] };
  });
  server.registerTool('announce', { description: 'Says something on the stream that stands open' }, async () => {
    await server.sendLoggingMessage({ level: 'warning', logger: 'counter', data: 'to whom it may concern' });
    return { content: [] };
  });
  return server;
}

const app = express();
app.use(express.json());

app.post('/mcp', async (req, res) => {
  const sessionId = req.headers['mcp-session-id'] as string | undefined;
  const known = sessionId === undefined ? undefined : open[sessionId];
  if (known) {
    await known.handleRequest(req, res, req.body);
    return;
  }
  if (sessionId !== undefined || !isInitializeRequest(req.body)) {
    res.status(400).json({ jsonrpc: '2.0', error: { code: -32000, message: 'There is no such session' }, id: null });
    return;
  }
  const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    eventStore: new ListEventStore(),
    retryInterval: 20,
    onsessioninitialized: (id) => {
      open[id] = transport;
    },
    onsessionclosed: (id) => {
      closedByClient.push(id);
    },
  });
  transport.onclose = () => {
    forgotten += 1;
    if (transport.sessionId !== undefined) delete open[transport.sessionId];
  };
  await counter().connect(transport);
  await transport.handleRequest(req, res, req.body);
});

const ofSession: express.RequestHandler = async (req, res) => {
  const transport = open[String(req.headers['mcp-session-id'])];
  if (!transport) {
    res.status(400).send('There is no such session');
    return;
  }
  await transport.handleRequest(req, res);
};
app.get('/mcp', ofSession);
app.delete('/mcp', ofSession);
app.get('/state', (_req, res) => {
  res.json({ open: Object.keys(open).length, closedByClient: closedByClient.length, forgotten });
});

const listener = app.listen(Number(process.env['PORT']), '127.0.0.1', () => {
  const address = listener.address();
  console.log(`listening on ${typeof address === 'object' ? address?.port : address}`);
});
