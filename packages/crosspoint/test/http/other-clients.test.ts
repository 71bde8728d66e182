import { afterEach, describe, expect, test } from 'vitest';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { closeAll, serve, until, type Served } from './serving.ts';

afterEach(closeAll);

const url = (at: Served, path = '/mcp'): URL => new URL(`http://127.0.0.1:${at.port}${path}`);

describe('the clients of the other library', () => {
  test('v1, with a session: calls, progress, questions, changes, end', async () => {
    const at = await serve();
    const client = new Client({ name: 'v1', version: '1' }, { capabilities: { elicitation: {} } });
    let changes = 0;
    client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'decline' as const }));
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (changes += 1));
    const transport = new StreamableHTTPClientTransport(url(at));
    await client.connect(transport as never);
    const progress: number[] = [];
    const counted = await client.callTool({ name: 'count', arguments: { to: 3 } }, undefined, {
      onprogress: (value) => progress.push(value.progress),
    });
    expect(counted.content).toEqual([{ type: 'text', text: 'counted 3' }]);
    expect(progress.length).toBeGreaterThan(0);
    expect((await client.callTool({ name: 'ask', arguments: {} })).content).toEqual([
      { type: 'text', text: 'decline' },
    ]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    at.server.registerTool('late', {}, async () => ({ content: [] }));
    await until(() => changes === 1);
    await transport.terminateSession();
    await until(() => at.handler.health.sessions === 0);
    await client.close();
  });

  test('v1, over HTTP+SSE from the same handler', async () => {
    const at = await serve();
    const client = new Client({ name: 'v1', version: '1' });
    await client.connect(new SSEClientTransport(url(at, '/sse')));
    expect((await client.callTool({ name: 'echo', arguments: { text: 'old' } })).content).toEqual([
      { type: 'text', text: 'old' },
    ]);
    await client.close();
    await until(() => at.handler.health.streams === 0);
  });

  test('v2, whatever it chooses to speak', async () => {
    const at = await serve();
    const client = new ClientV2({ name: 'v2', version: '1' });
    await client.connect(new HttpV2(url(at)));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('echo');
    expect((await client.callTool({ name: 'echo', arguments: { text: 'new' } })).content).toEqual([
      { type: 'text', text: 'new' },
    ]);
    await client.close();
  });
});
