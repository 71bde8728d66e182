// A session that logs and tells of changed resources.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const watched = new Set<string>();
const mcp = new McpServer(
  { name: 'station', version: '1.0.0' },
  { capabilities: { logging: {}, resources: { subscribe: true } } },
);
mcp.registerResource('board', 'station://board', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'all on time' }] }));
mcp.server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) => {
  watched.add(uri);
  return {};
});
mcp.server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
  watched.delete(uri);
  return {};
});
mcp.registerTool('delay', {}, async (extra) => {
  for (const uri of watched)
    await extra.sendNotification({ method: 'notifications/resources/updated', params: { uri } });
  return { content: [{ type: 'text', text: `${watched.size} told` }] };
});
mcp.registerTool('talk', {}, async (extra) => {
  for (const level of ['debug', 'info', 'warning', 'error'] as const)
    await extra.sendNotification({
      method: 'notifications/message',
      params: { level, logger: 'platform', data: { level } },
    });
  await mcp.sendLoggingMessage({ level: 'debug', data: 'by the server, too low' }, extra.sessionId);
  await mcp.sendLoggingMessage({ level: 'critical', data: 'by the server' }, extra.sessionId);
  return {
    content: [{ type: 'text', text: JSON.stringify(Object.keys(extra.requestInfo?.headers ?? {}).includes('accept')) }],
  };
});

const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
await mcp.connect(transport);
// The transport reads the body itself when nobody has.
const http = createServer((req, res) => void transport.handleRequest(req, res));
http.listen(Number(process.env['PORT']), '127.0.0.1', () => {
  const address = http.address();
  console.log(`listening on ${typeof address === 'object' ? address?.port : address}`);
});
