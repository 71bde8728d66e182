import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { SSEClientTransport, UnauthorizedError, type SSEClientTransportOptions } from '../../../src/client/index.ts';
import type { JSONRPCMessage } from '../../../src/jsonrpc/message.ts';
import { failure } from '../../client/connected.ts';
import { proves } from '../../requirements/proves.ts';
import { closeAll, json, listen, text, until, type Handler, type Listening } from './http-server.ts';

interface Started {
  transport: SSEClientTransport;
  listening: Listening;
  received: JSONRPCMessage[];
  errors: Error[];
  closes: number[];
  out(): ServerResponse;
}

const made: SSEClientTransport[] = [];

afterEach(async () => {
  await Promise.all(made.splice(0).map((transport) => transport.close()));
  await closeAll();
});

async function prepare(endpoint: string, options: SSEClientTransportOptions = {}, more?: Handler): Promise<Started> {
  let out: ServerResponse | undefined;
  const listening = await listen(
    (seen, response, request) => {
      if (seen.method === 'GET') {
        out = response;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`: hello\n\nevent: endpoint\ndata: ${endpoint}\n\n`);
        return undefined;
      }
      return more === undefined ? void response.writeHead(202).end('Accepted') : more(seen, response, request);
    },
    { path: '/deep/sse' },
  );
  const transport = new SSEClientTransport(listening.url, options);
  made.push(transport);
  const all: Started = { transport, listening, received: [], errors: [], closes: [], out: () => out! };
  transport.onmessage = (message) => all.received.push(message);
  transport.onerror = (error) => all.errors.push(error);
  transport.onclose = () => all.closes.push(1);
  return all;
}

const REQUEST: JSONRPCMessage = { jsonrpc: '2.0', id: 1, method: 'ping' };

proves('L-HTTPSSE-003').test.each([
  ['/messages?sessionId=a', '/messages?sessionId=a'],
  ['messages', '/deep/messages'],
  ['?session=7', '/deep/sse?session=7'],
])('messages are posted to the endpoint that the server names: %s', async (endpoint, url) => {
  const all = await prepare(endpoint);
  await all.transport.start();
  await all.transport.send(REQUEST);
  expect(all.listening.seen.map((seen) => `${seen.method} ${seen.url}`)).toEqual(['GET /deep/sse', `POST ${url}`]);
  expect(all.listening.seen[0]?.headers['accept']).toBe('text/event-stream');
  expect(all.listening.seen[1]?.headers['content-type']).toBe('application/json');
});

proves('L-HTTPSSE-015').test('answers come on the stream, and its end is the end', async () => {
  const all = await prepare('/messages');
  await all.transport.start();
  await all.transport.send(REQUEST);
  all
    .out()
    .write('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\nevent: odd\ndata: x\n\ndata: nonsense\n\n');
  await until(() => all.received.length === 1 && all.errors.length === 1);
  expect(all.errors).toMatchObject([{ code: 'bad-frame' }]);
  all.out().end();
  await until(() => all.closes.length === 1);
  expect(all.transport.lastFailure).toMatchObject({ code: 'closed' });
  await expect(all.transport.send(REQUEST)).rejects.toMatchObject({ code: 'closed' });
  await all.transport.start();
  await all.transport.send(REQUEST);
});

proves('L-HTTPSSE-015').test('closing closes the stream', async () => {
  const all = await prepare('/messages');
  await all.transport.start();
  let gone = false;
  all.out().on('close', () => (gone = true));
  await all.transport.close();
  await until(() => gone);
  expect(all.closes).toEqual([1]);
});

test.each(['https://evil.example/messages', '//evil.example/messages', 'http://127.0.0.1:1/messages', 'http://['])(
  'an endpoint elsewhere is not used: %s',
  async (endpoint) => {
    const all = await prepare(endpoint, { authProvider: { token: () => 'secret' } });
    await expect(all.transport.start()).rejects.toMatchObject({ code: 'bad-frame' });
    expect(all.listening.seen.length).toBe(1);
    expect(all.closes).toEqual([1]);
  },
);

test('what is no stream is an error with status and content type', async () => {
  const listening = await listen((_seen, response) => text(response, 200, '<html>', 'text/html'));
  const transport = new SSEClientTransport(listening.url);
  await expect(transport.start()).rejects.toMatchObject({
    code: 'http',
    details: { status: 200, contentType: 'text/html' },
  });
});

test('a stream that ends before it names an endpoint says so', async () => {
  const listening = await listen(
    (_seen, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(':\n\n'),
  );
  const transport = new SSEClientTransport(listening.url);
  expect((await failure(transport.start())).message).toContain('before it named an endpoint');
});

test('a message that is refused rejects, and the stream lives on', async () => {
  const all = await prepare('/messages', {}, (_seen, response) => json(response, 413, { error: 'too long' }));
  await all.transport.start();
  await expect(all.transport.send(REQUEST)).rejects.toMatchObject({ code: 'http', details: { status: 413 } });
  expect(all.closes).toEqual([]);
});

test.each([404, 400])('an endpoint that does not know the session (%i) ends it', async (status) => {
  const all = await prepare('/messages', {}, (_seen, response) => json(response, status, { error: 'no such session' }));
  await all.transport.start();
  await expect(all.transport.send(REQUEST)).rejects.toMatchObject({ code: 'session-lost', details: { status } });
  expect(all.closes).toEqual([1]);
});

test('the token is on the stream and on every message; 401 asks for another once', async () => {
  let token = 'old';
  const all = await prepare(
    '/messages',
    { authProvider: { token: () => token, onUnauthorized: () => void (token = 'new') } },
    (seen, response) => void response.writeHead(seen.headers['authorization'] === 'Bearer new' ? 202 : 401).end(),
  );
  await all.transport.start();
  await all.transport.send(REQUEST);
  expect(all.listening.seen.map(({ headers }) => headers['authorization'])).toEqual([
    'Bearer old',
    'Bearer old',
    'Bearer new',
  ]);
  const refused = await listen((_seen, response) => void response.writeHead(401).end());
  await expect(new SSEClientTransport(refused.url).start()).rejects.toBeInstanceOf(UnauthorizedError);
});

test('the stream may be opened by a fetch of its own', async () => {
  const used: string[] = [];
  const all = await prepare('/messages', {
    eventSourceInit: {
      fetch: (url, init) => (used.push(init?.method ?? ''), fetch(url, { ...init, headers: { 'x-own': '1' } })),
    },
  });
  await all.transport.start();
  await all.transport.send(REQUEST);
  expect(used).toEqual(['GET']);
  expect(all.listening.seen.map(({ headers }) => headers['x-own'])).toEqual(['1', undefined]);
});
