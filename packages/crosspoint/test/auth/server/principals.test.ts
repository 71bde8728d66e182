import { afterEach, describe, expect, test } from 'vitest';
import { createHandles, type McpServer } from '../../../src/server/index.ts';
import {
  HANDSHAKE,
  closeAll,
  initialize,
  makeServer,
  openSession,
  send,
  serve,
  stateless,
} from '../../http/serving.ts';
import { proves } from '../../requirements/proves.ts';
import { Bench, declared } from '../../tasks/bench.ts';
import { bearer, closeStarted, obtain, start, type Started } from '../../../../authorization-server/test/login-kit.ts';
import { fromJsonSchema } from '../../../src/schema/index.ts';

afterEach(closeStarted);

/** Two people who use the same program. */
async function twoPeople(
  server?: McpServer,
): Promise<{ at: Started; ada: Record<string, string>; bob: Record<string, string> }> {
  const at = await start(server ? { server } : {});
  const [ada, bob] = [await obtain(at, 'ada'), await obtain(at, 'bob')];
  return { at, ada: bearer(ada.tokens['access_token']), bob: bearer(bob.tokens['access_token']) };
}

describe('what belongs to one person', () => {
  proves('L-SECURITY-037').test('a session is no way in for another, with or without a token', async () => {
    const { at, ada, bob } = await twoPeople();
    const session = await openSession(at, HANDSHAKE, {}, ada);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await session.post(list)).status).toBe(200);
    expect((await session.post(list, bob)).status).toBe(404);
    expect((await send(at, { method: 'DELETE', headers: { ...session.headers, ...bob } })).status).toBe(404);
    expect((await session.post(list)).status).toBe(200);
  });

  test('a stream is not opened, resumed or taken over by another', async () => {
    const { at, ada, bob } = await twoPeople();
    const session = await openSession(at, HANDSHAKE, {}, ada);
    const stream = await session.get();
    expect(stream.status).toBe(200);
    expect((await session.get(bob)).status).toBe(404);
    expect((await session.get({ ...bob, 'last-event-id': '1' })).status).toBe(404);
    stream.abort();
  });

  test('a stream ends with the token that it was opened with, and the client comes back with another', async () => {
    // Expires in a moment, as far as the endpoint is concerned: what is left of the time that clocks may be apart.
    const leftMs = 200;
    const at = await serve({
      authenticate: () => ({ token: 't', clientId: 'c', scopes: [], expiresAt: (Date.now() - 30_000 + leftMs) / 1000 }),
    });
    const session = await openSession(at, HANDSHAKE);
    const standing = await session.get();
    expect(standing.status).toBe(200);
    await standing.finish();
    const again = await session.get();
    expect(again.status).toBe(200);
    const listening = await send(at, stateless('subscriptions/listen', { notifications: { toolsListChanged: true } }));
    await listening.finish();
    expect(listening.messages.at(-1)).toMatchObject({ result: {} });
    again.abort();
    await closeAll();
  });

  test('the stream of the older transport takes messages of its owner alone', async () => {
    const { at, ada, bob } = await twoPeople();
    const stream = await send(at, { method: 'GET', path: '/sse', headers: ada });
    const { until } = await import('../../until.ts');
    await until(() => stream.frames.some((frame) => frame.event === 'endpoint'));
    const path = stream.frames.find((frame) => frame.event === 'endpoint')?.data ?? '';
    const body = initialize('2024-11-05');
    expect((await send(at, { path, body, headers: bob })).status).toBe(404);
    expect((await send(at, { path, body })).status).toBe(401);
    expect((await send(at, { path, body, headers: ada })).status).toBe(202);
    stream.abort();
  });

  test('the state of a call that asks is refused from another', async () => {
    const { at, ada, bob } = await twoPeople();
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
    const ask = stateless('tools/call', { name: 'ask', arguments: {} }, { headers: ada, meta });
    const asked = (await (await send(at, ask)).json()).result as unknown as {
      requestState: string;
      inputRequests: Record<string, unknown>;
    };
    const [key = ''] = Object.keys(asked.inputRequests);
    const answer = {
      requestState: asked.requestState,
      inputResponses: { [key]: { action: 'accept', content: { ok: true } } },
    };
    const retry = (headers: Record<string, string>) =>
      send(at, stateless('tools/call', { name: 'ask', arguments: {}, ...answer }, { headers, meta }));
    expect((await (await retry(bob)).json()).error?.message).toMatch(/state/i);
    expect(JSON.stringify((await (await retry(ada)).json()).result)).toContain('accept');
  });

  proves('M-ASEC-036, M-ASEC-038').test('a handle is no proof of who shows it', async () => {
    const handles = createHandles<string>({ purpose: 'basket' });
    const server = makeServer();
    server.registerTool('basket', {}, async (ctx) => ({
      content: [{ type: 'text', text: await handles.mint(ctx, 'six eggs') }],
    }));
    server.registerTool(
      'look',
      { inputSchema: fromJsonSchema({ type: 'object', properties: { handle: { type: 'string' } } }) },
      async (args, ctx) => ({
        content: [{ type: 'text', text: await handles.open(ctx, (args as { handle: string }).handle) }],
      }),
    );
    const { at, ada, bob } = await twoPeople(server);
    const call = async (
      name: string,
      args: object,
      headers: Record<string, string>,
    ): Promise<{ isError?: boolean; content: { text: string }[] }> =>
      (await (await send(at, stateless('tools/call', { name, arguments: args }, { headers }))).json()).result as never;
    const handle = (await call('basket', {}, ada)).content[0]?.text;
    expect((await call('look', { handle }, bob)).content[0]?.text).toBe('This is not a handle of yours for basket.');
    expect((await call('look', { handle }, ada)).content[0]?.text).toBe('six eggs');
  });

  proves('M-ASEC-037').test('a handle cannot be guessed and ends by itself', async () => {
    let now = 1_000_000;
    const clock = { now: () => now, setTimeout: () => () => {} } as never;
    const handles = createHandles<number>({ purpose: 'p', ttlMs: 1000, clock });
    const owner = { authInfo: { token: 't', clientId: 'c', scopes: [] } };
    const made = await Promise.all(Array.from({ length: 50 }, () => handles.mint(owner, 1)));
    expect(new Set(made).size).toBe(50);
    for (const handle of made) expect(handle.length).toBeGreaterThan(40);
    now += 1001;
    await expect(handles.open(owner, made[0] ?? '')).rejects.toThrow('expired');
  });
});

describe('a task', () => {
  const meta = { 'io.modelcontextprotocol/clientCapabilities': declared };
  const tasks = (taskId: string, headers: Record<string, string>, method = 'tasks/get') =>
    stateless(method, { taskId }, { headers: { ...headers, 'mcp-name': taskId }, meta });

  test('is not seen, ended or fed by another, whatever its client', async () => {
    const bench = new Bench();
    const { at, ada, bob } = await twoPeople(bench.server);
    const begun = stateless('tools/call', { name: 'slow', arguments: { key: 'k' } }, { headers: ada, meta });
    const { taskId } = (await (await send(at, begun)).json()).result as unknown as { taskId: string };
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const refused = await (await send(at, tasks(taskId, bob, method))).json();
      expect([refused.error !== undefined, refused.result], method).toEqual([true, undefined]);
    }
    expect((await send(at, { ...tasks(taskId, ada), headers: {} })).status).toBe(401);
    expect((await (await send(at, tasks(taskId, ada))).json()).result).toMatchObject({ taskId, status: 'working' });
    bench.gate('k').open(undefined);
  });

  test('of a session is not seen by another, though the session id is known', async () => {
    const bench = new Bench();
    const { at, ada, bob } = await twoPeople(bench.server);
    const [hers, his] = [await openSession(at, HANDSHAKE, {}, ada), await openSession(at, HANDSHAKE, {}, bob)];
    const call = { name: 'slow', arguments: { key: 'k' }, task: {} };
    const begun = await (await hers.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })).finish();
    const taskId = /"taskId":"([^"]+)"/.exec(begun.text)?.[1];
    expect(taskId).toBeDefined();
    const get = { jsonrpc: '2.0', id: 2, method: 'tasks/get', params: { taskId } };
    expect((await (await his.post(get)).finish()).text).toContain('"error"');
    expect((await hers.post(get, bob)).status).toBe(404);
    expect((await (await hers.post(get)).finish()).text).toContain('"working"');
    const listed = { jsonrpc: '2.0', id: 3, method: 'tasks/list' };
    expect((await (await his.post(listed)).finish()).text).not.toContain(taskId);
    bench.gate('k').open(undefined);
  });
});

describe('the token', () => {
  proves('L-AUTH-076, L-AUTH-077, M-AF-033, M-ASEC-023').test(
    'is not passed on: what a tool may send elsewhere is obtained for that place',
    async () => {
      const seen: string[] = [];
      const { serve, sendJson } = await import('../serving.ts');
      const api = await serve((request, response) => {
        seen.push(JSON.stringify(request.headers));
        sendJson(response, {});
      });
      const server = makeServer();
      server.registerTool('remote', {}, async (ctx) => {
        // All that a tool is given of the request, as a program might log it or hand it on.
        const { authorization } = ctx.requestInfo?.headers ?? {};
        await fetch(api.url, { headers: { 'x-had': authorization === undefined ? 'nothing' : 'something' } });
        return { content: [{ type: 'text', text: JSON.stringify(ctx.requestInfo?.headers) }] };
      });
      const { at, ada } = await twoPeople(server);
      const answer = await (
        await send(at, stateless('tools/call', { name: 'remote', arguments: {} }, { headers: ada }))
      ).finish();
      const token = ada['authorization']?.slice('Bearer '.length) ?? '';
      expect(answer.status).toBe(200);
      expect(seen.join()).not.toContain(token);
      expect(seen.join()).toContain('nothing');
      expect(answer.text).not.toContain(token);
      await api.close();
    },
  );

  test('of another server is refused though it is from the same issuer', async () => {
    const other = 'https://other.example.com/mcp';
    const at = await start({
      as: { resource: ['https://here.example.com/mcp', other] },
      auth: { audience: 'https://here.example.com/mcp' },
    });
    const elsewhere = await obtain({ ...at, resource: other });
    const refused = await send(at, stateless('tools/list', {}, { headers: bearer(elsewhere.tokens['access_token']) }));
    expect([refused.status, String(refused.headers['www-authenticate']).includes('another server')]).toEqual([
      401,
      true,
    ]);
    const here = await obtain({ ...at, resource: 'https://here.example.com/mcp' });
    expect((await send(at, stateless('tools/list', {}, { headers: bearer(here.tokens['access_token']) }))).status).toBe(
      200,
    );
  });
});
