import { afterEach, describe, expect, it } from 'vitest';
import { memoryStore, Server } from '../../src/server/index.ts';
import { byCaller } from '../../src/server/relaying.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import type { Store } from '../../src/stores/store.ts';
import { CELLS, closeAll, connected, serveOver } from './carriers.ts';

afterEach(closeAll);

/** A low-level server whose `tools/call` goes on as a task, with a step that was taken before. */
function face(ran: string[], store?: Store, gate: Promise<void> = Promise.resolve()): Server {
  const server = new Server({ name: 'face', version: '1.0.0' }, { capabilities: { tools: {} } });
  const feature = tasks({ list: true, leaseMs: 200, ...(store && { store }) });
  server.use(feature);
  const becomeTask = feature.forHandlers();
  server.setRequestHandler('tools/list', () => ({
    tools: [{ name: 'long', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } }],
  }));
  server.setRequestHandler('tools/call', async (_request, ctx) => {
    if (ctx.task === undefined)
      return becomeTask(ctx, { ttlMs: 50_000, pollIntervalMs: 20, steps: { upstream: { taskId: 'up-1' } } });
    const { taskId } = await ctx.step('upstream', () => ({ taskId: 'made again' }));
    ran.push(taskId);
    const ask = {
      method: 'elicitation/create',
      params: { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } },
    };
    const { action } = await ctx.sendRequest(ask, undefined, { relayed: true, timeout: 0 });
    await gate;
    return { content: [{ type: 'text', text: `${taskId} ${String(action)}` }] };
  });
  return server;
}

const capabilities = { elicitation: {} };
const accepting = (client: { setRequestHandler: Function }): void =>
  void client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));

describe.each(CELLS)(
  'a call that a low-level handler turns into a task over $carrier, $family',
  ({ carrier, family }) => {
    it('goes on in the task, with the steps it was given and with questions', async () => {
      const ran: string[] = [];
      const client = await connected(
        await serveOver(carrier, face(ran)),
        { revisions: family, capabilities },
        accepting,
      );
      const handle = await client.startTask({ name: 'long' }, { task: { ttl: 50_000 } });
      expect(handle.task).toMatchObject({ status: 'working', ttlMs: 50_000, pollIntervalMs: 20 });
      expect(await handle.wait()).toMatchObject({ content: [{ type: 'text', text: 'up-1 accept' }] });
      expect(ran).toEqual(['up-1']);
    });

    it('is refused for a client that cannot be answered with a task', async () => {
      const client = await connected(await serveOver(carrier, face([])), { revisions: family, tasks: false });
      await expect(client.callTool({ name: 'long' })).rejects.toThrow('Internal error');
    });
  },
);

it('goes on in another process that shares the store', async () => {
  const store = memoryStore();
  const shared = Object.assign(store, { isShared: true });
  const [first, second]: [string[], string[]] = [[], []];
  const one = face(first, shared, new Promise(() => {}));
  const client = await connected(await serveOver('http', one), { revisions: 'per-request', capabilities });
  const handle = await client.startTask({ name: 'long' });
  await expect.poll(() => first).toEqual(['up-1']);
  await one.close();
  const other = await connected(
    await serveOver('http', face(second, shared)),
    { revisions: 'per-request', capabilities },
    accepting,
  );
  const result = await other.resumeTask(handle.taskId as string).wait();
  expect(result).toMatchObject({ content: [{ type: 'text', text: 'up-1 accept' }] });
  expect(second).toEqual(['up-1']);
});

describe.each(CELLS)('the group of a caller over $carrier, $family', ({ carrier, family }) => {
  it('is known in every request of the session, and to the handlers of its notifications', async () => {
    const server = new Server({ name: 'face', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
    server.use(byCaller({ groupOf: ({ client }) => `group of ${client?.name}` }));
    const seen: (string | undefined)[] = [];
    server.setRequestHandler('tools/list', (_request, ctx) => {
      seen.push(ctx.group);
      return { tools: [] };
    });
    server.setNotificationHandler('acme/news', (_notification, from) => void seen.push(from.group));
    const client = await connected(await serveOver(carrier, server), { revisions: family });
    await client.listTools();
    if (family === 'handshake') await client.notification({ method: 'acme/news' });
    const known = family === 'handshake' ? ['group of relay', 'group of relay'] : [undefined];
    await expect.poll(() => seen).toEqual(known);
  });
});
