import { describe, expect, test } from 'vitest';
import { createMcpHandler, McpServer } from '../../src/server/index.ts';
import { memoryStore, storeServing, type Store } from '../../src/stores/index.ts';

const INFO = { name: 'kept', version: '1.0.0' };

/** A store as a program writes its own: another object, with these members of it and no others. */
function ownStore(serving: Store['serving']): Store {
  const inner = memoryStore({ shared: true });
  return {
    isShared: true,
    serving,
    get: (...args) => inner.get(...args),
    put: (...args) => inner.put(...args),
    touch: (...args) => inner.touch(...args),
    delete: (...args) => inner.delete(...args),
    add: (...args) => inner.add(...args),
    keys: (...args) => inner.keys(...args),
    count: (...args) => inner.count(...args),
    append: (...args) => inner.append(...args),
    read: (...args) => inner.read(...args),
    deleteLog: (...args) => inner.deleteLog(...args),
    publish: (...args) => inner.publish(...args),
    subscribe: (...args) => inner.subscribe(...args),
    close: () => inner.close(),
  };
}

describe('a store of the program itself', () => {
  test('is refused where a server takes it, with the import that it lacks', () => {
    const store = ownStore(undefined);
    const lack = /`serving: storeServing`, of 'crosspoint\/stores'/;
    expect(() => new McpServer(INFO, { store })).toThrow(lack);
    expect(() => new McpServer(INFO, { asking: { store } })).toThrow(lack);
    expect(() => createMcpHandler(new McpServer(INFO), { store })).toThrow(lack);
  });

  test('serves as nodes do once it has it', async () => {
    const store = ownStore(storeServing);
    const nodes = [1, 2].map(() => createMcpHandler(new McpServer(INFO), { store }));
    const post = (node: number, body: object, session?: string): Promise<Response> | undefined =>
      nodes[node]?.fetch(
        new Request('http://localhost/mcp', {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...(session && { 'mcp-session-id': session }),
          },
          body: JSON.stringify({ jsonrpc: '2.0', ...body }),
        }),
      );
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const opened = await post(0, { id: 1, method: 'initialize', params });
    const session = opened?.headers.get('mcp-session-id') ?? '';
    await opened?.text();
    const elsewhere = await post(1, { id: 2, method: 'ping' }, session);
    expect(elsewhere?.status).toBe(200);
    expect(await elsewhere?.text()).toContain('"id":2');
    await Promise.all(nodes.map((node) => node.close({ grace: 0 })));
  });
});
