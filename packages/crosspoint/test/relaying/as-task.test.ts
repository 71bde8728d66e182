import { afterEach, describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/index.ts';
import { exchange } from '../../src/client/relaying.ts';
import { defineExtension } from '../../src/extensions/define-extension.ts';
import { tasksExtension } from '../../src/extensions/tasks/tasks-extension.ts';
import { McpServer, Server, text } from '../../src/server/index.ts';
import { asTask, tasks } from '../../src/server/tasks/index.ts';
import { CARRIERS, CELLS, closeAll, connected, serveOver } from './carriers.ts';

afterEach(closeAll);

const TASK = {
  taskId: 'up-1',
  status: 'working',
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
  ttlMs: 60_000,
  pollIntervalMs: 20,
} as const;
/** As it comes over a hop. */
const HOP = {
  ...TASK,
  resultType: 'task',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'upstream', version: '1' }, 'acme/kept': 1 },
};

function face(): Server {
  const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
  const server = new Server({ name: 'face', version: '1.0.0' }, { capabilities });
  server.onerror = () => {};
  server.use({
    extension: defineExtension(tasksExtension),
    handlers: { 'tasks/get': () => ({ ...TASK, _meta: HOP._meta }) },
  } as never);
  server.setRequestHandler('tools/list', () => ({
    tools: [{ name: 'long', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } }],
  }));
  server.setRequestHandler('tools/call', (_request, ctx) => asTask(ctx, HOP));
  server.setRequestHandler('tasks/get', () => ({ ...HOP }));
  return server;
}

describe.each(CELLS)('a task of another server over $carrier, $family', ({ carrier, family }) => {
  it('is written in the words of the family, without those of the hop before', async () => {
    const client = await connected(await serveOver(carrier, face()), { revisions: family });
    const params = { name: 'long', task: { ttl: 1000 } };
    const wire: unknown[] = [];
    client.use(async (operation, next) => {
      const outcome = await next();
      if (operation.method === 'tools/call' && outcome.kind === 'task') wire.push(outcome.task);
      return outcome;
    });
    const outcome = await exchange(client, { method: 'tools/call', params });
    expect(outcome).toMatchObject({ kind: 'task', task: TASK });
    expect(JSON.stringify(wire)).not.toContain('upstream');
    expect(JSON.stringify(wire)).toContain('acme/kept');
    const handle = await client.startTask({ name: 'long' });
    expect(handle.task).toEqual({ ...TASK, _meta: { 'acme/kept': 1 } });
    expect(await handle.status()).toMatchObject(TASK);
    expect(Object.keys(handle.task ?? {})).not.toContain('resultType');
  });

  it('is refused for a client that cannot have one', async () => {
    const client = await connected(await serveOver(carrier, face()), { revisions: family, tasks: false });
    await expect(exchange(client, { method: 'tools/call', params: { name: 'long' } })).rejects.toThrow(/[Ii]nternal/);
  });
});

it.each(CARRIERS)('passes from a server of one family to a client of the other, over %s', async (carrier) => {
  const upstream = new McpServer({ name: 'upstream', version: '1.0.0' });
  upstream.use(tasks());
  upstream.registerTool('long', { task: { support: 'required' } }, () => text('done'));
  const up = await connected(await serveOver(carrier, upstream), { revisions: 'per-request' });
  const server = face();
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const outcome = await exchange(up, { method: 'tools/call', params });
    if (outcome.kind !== 'task') throw new Error(outcome.kind);
    return asTask(ctx, outcome.task);
  });
  const client: Client = await connected(await serveOver(carrier, server), { revisions: 'handshake' });
  const outcome = await exchange(client, { method: 'tools/call', params: { name: 'long', task: {} } });
  expect(outcome).toMatchObject({ kind: 'task', task: { taskId: expect.any(String), ttlMs: expect.any(Number) } });
});
