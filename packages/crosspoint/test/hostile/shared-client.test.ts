import { afterEach, describe, expect, test } from 'vitest';
import { META_IDEMPOTENCY_KEY } from '../../src/protocol/meta.ts';
import {
  McpServer,
  createHandles,
  text,
  type McpHandlerOptions,
  type ServerOperation,
} from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { Bench, declared } from '../tasks/bench.ts';
import { HANDSHAKE, closeAll, openSession, send, serve, stateless, until, type Served } from '../http/serving.ts';
import { fromJsonSchema } from '../../src/schema/index.ts';

afterEach(closeAll);

/** All come with the token of one program; who sits before it, another header says, which only `principal` looks at. */
const shared: McpHandlerOptions = {
  authenticate: () => ({ token: 't', clientId: 'portal', scopes: [] }),
  principal: (_authInfo, request) => request.header('x-user'),
};
const ada = { headers: { 'x-user': 'ada' } };
const bob = { headers: { 'x-user': 'bob' } };

interface Asked {
  readonly headers?: Record<string, string>;
  readonly meta?: object;
}

async function result(at: Served, method: string, params: Record<string, unknown>, { headers, meta = {} }: Asked) {
  const sent = stateless(method, params, { headers: { ...named(params), ...headers }, meta });
  return (await (await send(at, sent)).json()) as { result?: any; error?: { code: number; message: string } };
}

function named({ taskId }: Record<string, unknown>): Record<string, string> {
  return typeof taskId === 'string' ? { 'mcp-name': taskId } : {};
}

const call = (at: Served, name: string, args: object, asked: Asked) =>
  result(at, 'tools/call', { name, arguments: args }, asked);

describe('two users of one client program, told apart by the principal of the handler', () => {
  test('do not get the outcome of each other under the same key', async () => {
    const server = new McpServer({ name: 's', version: '1' });
    server.registerTool('whoami', {}, (ctx) => text(`for ${ctx.principal}`));
    const at = await serve(shared, {}, server);
    const meta = { [META_IDEMPOTENCY_KEY]: 'k' };
    const texts = [];
    for (const user of [ada, bob, ada])
      texts.push((await call(at, 'whoami', {}, { ...user, meta })).result.content[0].text);
    expect(texts).toEqual(['for ada', 'for bob', 'for ada']);
  });

  test('do not read, feed or end the tasks of each other, and the task knows whose it is', async () => {
    const bench = new Bench({ tasks: { list: true } });
    const at = await serve(shared, {}, bench.server);
    const meta = { 'io.modelcontextprotocol/clientCapabilities': declared };
    const { taskId } = (await call(at, 'slow', { key: 'a' }, { ...ada, meta })).result;
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update'])
      expect((await result(at, method, { taskId, inputResponses: {} }, { ...bob, meta })).error, method).toBeDefined();
    expect((await result(at, 'tasks/get', { taskId }, { ...ada, meta })).result).toMatchObject({ status: 'working' });
    expect(bench.contexts[0]?.principal).toBe('ada');
    const his = await openSession(at, HANDSHAKE, {}, bob.headers);
    const listed = await (await his.post({ jsonrpc: '2.0', id: 2, method: 'tasks/list' })).finish();
    expect(listed.text).not.toContain(taskId);
    bench.gate('a').open(undefined);
  });

  test('a task that another process takes over still runs for its owner', async () => {
    const store = memoryStore({ shared: true });
    const seen: (string | undefined)[] = [];
    const make = (): McpServer => {
      const server = new McpServer({ name: 's', version: '1' });
      server.use(tasks({ leaseMs: 100 }));
      server.registerTool('slow', { task: { support: 'optional', resume: true } }, async (ctx) => {
        seen.push(ctx.principal);
        if (seen.length > 1) return text(`for ${ctx.principal}`);
        return new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve(text('stopped'))));
      });
      return server;
    };
    const [first, second] = [make(), make()];
    const [one, other] = [await serve({ ...shared, store }, {}, first), await serve({ ...shared, store }, {}, second)];
    const meta = { 'io.modelcontextprotocol/clientCapabilities': declared };
    const { taskId } = (await call(one, 'slow', {}, { ...ada, meta })).result;
    await until(() => seen.length === 1);
    await first.close();
    await result(other, 'tasks/get', { taskId }, { ...ada, meta });
    await until(() => seen.length === 2);
    expect(seen).toEqual(['ada', 'ada']);
  });

  test('do not answer the questions of each other', async () => {
    const at = await serve(shared);
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
    const asked = (await call(at, 'ask', {}, { ...ada, meta })).result;
    const [key = ''] = Object.keys(asked.inputRequests);
    const retry = (user: Asked) =>
      result(
        at,
        'tools/call',
        {
          name: 'ask',
          arguments: {},
          requestState: asked.requestState,
          inputResponses: { [key]: { action: 'accept', content: { ok: true } } },
        },
        { ...user, meta },
      );
    expect((await retry(bob)).error?.message).toMatch(/state/i);
    expect(JSON.stringify((await retry(ada)).result)).toContain('accept');
  });

  test('do not open the handles of each other', async () => {
    const handles = createHandles<string>({ purpose: 'basket' });
    const server = new McpServer({ name: 's', version: '1' });
    server.registerTool('mint', {}, async (ctx) => text(await handles.mint(ctx, 'six eggs')));
    server.registerTool(
      'look',
      { inputSchema: fromJsonSchema({ type: 'object', properties: { handle: { type: 'string' } } }) },
      async (args, ctx) => text(await handles.open(ctx, (args as { handle: string }).handle)),
    );
    const at = await serve(shared, {}, server);
    const handle = (await call(at, 'mint', {}, ada)).result.content[0].text;
    expect((await call(at, 'look', { handle }, bob)).result.content[0].text).toContain('not a handle of yours');
    expect((await call(at, 'look', { handle }, ada)).result.content[0].text).toBe('six eggs');
  });

  test('are counted each for themselves', async () => {
    const limits = { 'tools/call': { perSecond: 0.001, burst: 1 } };
    const at = await serve(shared, { limits, clock: new ManualClock() });
    const statuses = [];
    for (const { headers } of [ada, ada, bob])
      statuses.push(
        (await send(at, stateless('tools/call', { name: 'echo', arguments: { text: 'x' } }, { headers }))).status,
      );
    expect(statuses).toEqual([200, 429, 200]);
  });

  test('are named to middleware and to what decides who sees a tool', async () => {
    const server = new McpServer({ name: 's', version: '1' });
    const operations: Pick<ServerOperation, 'kind' | 'principal'>[] = [];
    server.use((operation, next) => {
      operations.push({ kind: operation.kind, principal: operation.principal });
      return next();
    });
    server.registerTool('hers', { visible: ({ principal }) => principal === 'ada' }, () => text('hers'));
    const at = await serve(shared, {}, server);
    expect((await result(at, 'tools/list', {}, ada)).result.tools).toHaveLength(1);
    expect((await result(at, 'tools/list', {}, bob)).result.tools).toHaveLength(0);
    const note = { jsonrpc: '2.0', method: 'notifications/custom', params: {} };
    const his = await openSession(at, HANDSHAKE, {}, bob.headers);
    await his.post(note);
    expect(operations.slice(0, 2).map(({ principal }) => principal)).toEqual(['ada', 'bob']);
    await until(() => operations.filter(({ kind }) => kind === 'notification').length === 2);
    expect(operations.slice(2).every(({ principal }) => principal === 'bob')).toBe(true);
  });
});

describe('a principal of the program', () => {
  test.each([
    ['an empty text', () => ''],
    ['an object', () => ({})],
    ['a number', () => 7],
    ['a promise', async () => 'ada'],
    [
      'an exception',
      () => {
        throw new Error('The directory is down.');
      },
    ],
  ])('that gives %s lets nobody further in, and the program is told', async (_what, principal) => {
    const at = await serve({ principal: principal as never });
    for (const sent of [
      stateless('tools/list'),
      { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers: { 'mcp-session-id': 'x' } },
      { method: 'GET', path: '/sse' },
    ])
      expect((await send(at, sent)).status).toBe(500);
    expect(at.problems.length).toBe(3);
  });

  test('that gives undefined or null for a token leaves its caller without a name', async () => {
    for (const none of [undefined, null]) {
      const server = new McpServer({ name: 's', version: '1' });
      server.registerTool('whoami', {}, (ctx) => text(String(ctx.principal)));
      const at = await serve({ ...shared, principal: (() => none) as never }, {}, server);
      expect((await call(at, 'whoami', {}, {})).result.content[0].text).toBe('undefined');
    }
  });
});
