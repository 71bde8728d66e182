import { afterEach, describe, expect, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import {
  HANDSHAKE,
  NEWEST,
  closeAll,
  initialize,
  openSession,
  send,
  serve,
  stateless,
  until,
  type Answer,
  type Served,
} from './serving.ts';

afterEach(closeAll);

const OLDEST = '2024-11-05';

async function open(
  at: Served,
  path = '/sse',
  headers: Record<string, string> = {},
): Promise<{
  stream: Answer;
  endpoint: string;
  post: (body: unknown, more?: Record<string, string>) => Promise<Answer>;
}> {
  const stream = await send(at, { method: 'GET', path, headers });
  await until(() => stream.frames.length === 1);
  const endpoint = stream.frames[0]?.data ?? '';
  return {
    stream,
    endpoint,
    post: (body, more = {}) => send(at, { path: endpoint, body, headers: { ...headers, ...more } }),
  };
}

describe('HTTP+SSE', () => {
  proves('L-HTTPSSE-001, L-HTTPSSE-002, L-HTTPSSE-004, L-HTTPSSE-009, M-IOP-032').test(
    'names its endpoint first, and answers on the stream what is posted there',
    async () => {
      const at = await serve({ path: '/mcp' });
      const { stream, endpoint, post } = await open(at);
      expect(stream.headers['content-type']).toBe('text/event-stream');
      expect(stream.frames[0]).toMatchObject({ event: 'endpoint' });
      expect(endpoint).toMatch(/^\/messages\?sessionId=[\w-]{36}$/);
      expect((await open(at)).endpoint).not.toBe(endpoint);
      const posted = await (await post(initialize(OLDEST))).finish();
      expect([posted.status, posted.text]).toEqual([202, '']);
      await until(() => stream.frames.length === 2);
      expect(stream.frames[1]?.event).toBe('message');
      expect(stream.messages.at(-1)).toMatchObject({ id: 'init', result: { protocolVersion: OLDEST } });
    },
  );

  proves('L-HTTPSSE-008').test('clients with the same ids get their own answers', async () => {
    const at = await serve();
    const clients = await Promise.all(Array.from({ length: 20 }, () => open(at)));
    await Promise.all(clients.map(({ post }) => post(initialize(OLDEST))));
    await Promise.all(
      clients.map(({ post }, index) =>
        post({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'later', arguments: { text: `mine ${index}`, ms: 20 - index } },
        }),
      ),
    );
    for (const [index, { stream }] of clients.entries()) {
      await until(() => stream.frames.length === 3);
      expect(JSON.parse(stream.frames[2]?.data ?? '')).toMatchObject({
        id: 1,
        result: { content: [{ text: `mine ${index}` }] },
      });
    }
  });

  proves('L-HTTPSSE-015').test('ends with its stream', async () => {
    const at = await serve();
    const { stream, post } = await open(at);
    expect(at.handler.health.streams).toBe(1);
    stream.abort();
    await until(() => at.handler.health.streams === 0);
    expect((await post(initialize(OLDEST))).status).toBe(404);
    await until(() => !at.server.isConnected());
  });

  test('belongs to whoever opened it', async () => {
    const at = await serve({ principal: (_auth, request) => request.header('x-user') });
    const { post } = await open(at, '/sse', { 'x-user': 'ada' });
    expect((await post(initialize(OLDEST), { 'x-user': 'eve' })).status).toBe(404);
    expect((await post(initialize(OLDEST))).status).toBe(202);
  });

  test('what cannot be read is refused, and other methods are 405', async () => {
    const at = await serve();
    const { post, endpoint } = await open(at);
    expect((await post('nonsense')).status).toBe(400);
    expect((await post({ jsonrpc: '2.0', method: 7 })).status).toBe(400);
    expect((await post(initialize(), { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await send(at, { path: '/sse', body: initialize() })).headers.allow).toBe('GET');
    expect((await send(at, { method: 'GET', path: endpoint })).headers.allow).toBe('POST');
    expect((await send(at, { path: '/messages?sessionId=unknown', body: initialize() })).status).toBe(404);
  });

  test('streams are no more than the limit, and there are none where they are not wanted', async () => {
    const at = await serve({ legacySse: { max: 1 } });
    await open(at);
    expect((await send(at, { method: 'GET', path: '/sse' })).status).toBe(503);
    const without = await serve({ legacySse: false, path: '/mcp' });
    expect((await send(without, { method: 'GET', path: '/sse' })).status).toBe(404);
    const modern = await serve({ path: '/mcp' }, { revisions: [NEWEST, HANDSHAKE] });
    expect((await send(modern, { method: 'GET', path: '/sse' })).status).toBe(404);
  });

  test('shares the path of the endpoint only where it is told to, and the others go on there', async () => {
    const at = await serve({ path: '/mcp', legacySse: { samePath: true } });
    const { endpoint, post, stream } = await open(at, '/mcp');
    expect(endpoint).toMatch(/^\/mcp\?sessionId=/);
    expect((await post(initialize(OLDEST))).status).toBe(202);
    await until(() => stream.frames.length === 2);
    expect((await send(at, stateless('tools/list'))).status).toBe(200);
    const session = await openSession(at);
    expect((await session.get()).status).toBe(200);
    const apart = await serve({ path: '/mcp' });
    expect((await send(apart, { method: 'GET', path: '/mcp' })).status).toBe(400);
  });
});
