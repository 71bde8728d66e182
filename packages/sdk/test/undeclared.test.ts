import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as OldMcpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { McpServer } from '../src/server/mcp.ts';

/** v1 checks some uses of features that were not declared and lets others pass. What passes there must not throw here. */
const makers = [
  { name: 'v1', make: () => new OldMcpServer({ name: 'quiet', version: '1.0.0' }) },
  { name: 'ours', make: () => new McpServer({ name: 'quiet', version: '1.0.0' }) as unknown as OldMcpServer },
];

async function connected(server: OldMcpServer): Promise<Client> {
  const client = new Client({ name: 'client', version: '1.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  await client.connect(near);
  return client;
}

describe.each(makers)('what is not declared: $name', ({ make }) => {
  it('ignores log messages', async () => {
    const server = make();
    const client = await connected(server);
    const got: unknown[] = [];
    client.fallbackNotificationHandler = async (notification) => void got.push(notification.method);
    await server.sendLoggingMessage({ level: 'error', data: 'x' });
    await server.server.sendLoggingMessage({ level: 'error', data: 'x' });
    await client.ping();
    expect(got).toEqual([]);
    await client.close();
  });

  it('takes handlers of subscriptions before any resource is registered', () => {
    const { server } = make();
    server.setRequestHandler(SubscribeRequestSchema, async () => ({}));
    server.setRequestHandler(UnsubscribeRequestSchema, async () => ({}));
  });

  it('takes updates of resources that nobody can subscribe to', async () => {
    const server = make();
    server.registerResource('r', 'test://r', {}, async () => ({ contents: [] }));
    const client = await connected(server);
    await server.server.sendResourceUpdated({ uri: 'test://r' });
    await client.close();
  });

  it('does not reject progress that is reported outside of a handler', async () => {
    const server = make();
    server.server.onerror = () => {};
    const client = await connected(server);
    await server.server.notification({
      method: 'notifications/progress',
      params: { progressToken: 'gone', progress: 1 },
    });
    await client.close();
  });
});
