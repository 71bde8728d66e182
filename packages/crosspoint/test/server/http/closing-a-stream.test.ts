import { expect, test } from 'vitest';
import { createMcpHandler, McpServer, text } from '../../../src/server/index.ts';
import { proves } from '../../requirements/proves.ts';

const HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  Host: 'localhost',
};

function post(body: object, headers: Record<string, string> = {}): Request {
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
  });
}

const initialize = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

proves('L-HTTP-026').test('a handler ends its connection early and the client comes back for the answer', async () => {
  const server = new McpServer({ name: 'test', version: '1' });
  let finish = (): void => {};
  server.registerTool('long', {}, async (ctx) => {
    ctx.closeSSEStream?.();
    await new Promise<void>((resolve) => (finish = resolve));
    return text('done');
  });
  const handler = createMcpHandler(server, { retryMs: 20 });
  const opened = await handler.fetch(post(initialize));
  const session = {
    'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '',
    'MCP-Protocol-Version': '2025-11-25',
  };
  await handler.fetch(post({ method: 'notifications/initialized' }, session));

  const closed = await (
    await handler.fetch(post({ id: 1, method: 'tools/call', params: { name: 'long' } }, session))
  ).text();
  expect(closed).toContain('retry: 20\n');
  expect(closed).not.toContain('done');
  finish();

  const lastEventId = /^id: (.+)$/m.exec(closed)?.[1] ?? '';
  const resumed = await handler.fetch(
    new Request('http://localhost/mcp', {
      headers: { ...session, Accept: 'text/event-stream', Host: 'localhost', 'Last-Event-ID': lastEventId },
    }),
  );
  expect(await resumed.text()).toContain('done');
  await handler.close();
});

test('idle sessions do not delay the end of an endpoint, running requests do', async () => {
  const server = new McpServer({ name: 'test', version: '1' });
  let finish = (): void => {};
  server.registerTool('long', {}, async () => {
    await new Promise<void>((resolve) => (finish = resolve));
    return text('done');
  });
  const handler = createMcpHandler(server);
  const opened = await handler.fetch(post(initialize));
  const session = {
    'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '',
    'MCP-Protocol-Version': '2025-11-25',
  };
  const answer = await handler.fetch(post({ id: 1, method: 'tools/call', params: { name: 'long' } }, session));
  const closed = handler.close({ grace: 60_000 });
  finish();
  expect(await answer.text()).toContain('done');
  await closed;
});

test('where a client could not come back, a handler cannot end its connection', async () => {
  const server = new McpServer({ name: 'test', version: '1' });
  server.registerTool('probe', {}, (ctx) => text(typeof ctx.closeSSEStream));
  const handler = createMcpHandler(server, { sessions: false });
  const answer = await handler.fetch(
    post({ id: 1, method: 'tools/call', params: { name: 'probe' } }, { 'MCP-Protocol-Version': '2025-11-25' }),
  );
  expect(await answer.text()).toContain('"undefined"');
  await handler.close();
});
