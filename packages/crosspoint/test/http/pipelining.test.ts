/** Several requests on one connection before the first is answered: Node tells only the answer that has the connection that it has closed. */
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import {
  McpServer,
  SSEServerTransport,
  StreamableHTTPServerTransport,
  createMcpHandler,
} from '../../src/server/index.ts';
import {
  BOTH,
  closeAll,
  listen,
  makeServer,
  openSession,
  send,
  serve,
  stateless,
  until,
  type Sent,
} from './serving.ts';

const sockets: Socket[] = [];
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const close of closing.splice(0)) await close();
  await closeAll();
});

function written({ method = 'POST', path = '/mcp', headers = {}, body }: Sent): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = Object.entries({
    host: 'localhost',
    accept: method === 'GET' ? 'text/event-stream' : BOTH,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`;
}

interface Pipe {
  readonly socket: Socket;
  readonly text: () => string;
  readonly closed: () => boolean;
}

/** Sends everything at once. */
function pipe(port: number, requests: readonly Sent[]): Pipe {
  let text = '';
  let isClosed = false;
  const socket = connect(port, '127.0.0.1', () => socket.write(requests.map(written).join('')));
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.on('error', () => {});
  socket.on('close', () => (isClosed = true));
  sockets.push(socket);
  return { socket, text: () => text, closed: () => isClosed };
}

const statuses = (text: string): string[] => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status ?? '');

const listening = (id: number): Sent =>
  stateless('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id });

describe('a connection that closes ends every exchange on it', () => {
  test('listen streams', async () => {
    const at = await serve({ maxListens: 20 });
    const { socket } = pipe(
      at.port,
      Array.from({ length: 10 }, (_, id) => listening(id)),
    );
    await until(() => at.handler.health.streams === 10);
    socket.destroy();
    await until(() => at.handler.health.streams === 0);
  });

  test('streams of the older transport', async () => {
    const at = await serve();
    const { socket } = pipe(
      at.port,
      Array.from({ length: 10 }, () => ({ method: 'GET', path: '/sse' })),
    );
    await until(() => at.handler.health.streams === 10);
    socket.destroy();
    await until(() => at.handler.health.streams === 0);
  });

  test('the standing stream of a session, which can then be opened again', async () => {
    const at = await serve();
    const session = await openSession(at);
    const { socket, text } = pipe(at.port, [listening(1), { method: 'GET', headers: session.headers }]);
    await until(() => text().includes('subscriptions/acknowledged'));
    expect((await session.get()).status).toBe(409);
    socket.destroy();
    await until(() => at.handler.health.streams === 0);
    const again = await session.get();
    expect(again.status).toBe(200);
    again.abort();
  });

  test('calls that are worked on: each is cancelled', async () => {
    const server = makeServer();
    let [begun, cancelled] = [0, 0];
    server.registerTool('wait', {}, async (ctx) => {
      begun += 1;
      await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
      cancelled += 1;
      return { content: [] };
    });
    const at = await serve({}, {}, server);
    const { socket } = pipe(
      at.port,
      Array.from({ length: 5 }, (_, id) => stateless('tools/call', { name: 'wait', arguments: {} }, { id })),
    );
    await until(() => begun === 5);
    expect(cancelled).toBe(0);
    socket.destroy();
    await until(() => cancelled === 5);
    await until(() => at.handler.health.working === 0);
  });

  test('one that has closed before anyone asks', async () => {
    // The body parser of a framework is a moment in which a client may go.
    const server = makeServer();
    const handler = createMcpHandler(server);
    const waiting: (() => Promise<void>)[] = [];
    let gone = 0;
    const { http, port } = await listen((request, response) => {
      request.socket.once('close', () => (gone += 1));
      waiting.push(() => handler.node(request, response, JSON.parse(String(request.headers['x-body']))));
    });
    closing.push(() => new Promise((resolve) => http.close(resolve)));
    const { socket } = pipe(
      port,
      [1, 2, 3].map((id) => {
        const { body, headers } = listening(id);
        return { headers: { ...headers, 'x-body': JSON.stringify(body) }, method: 'POST' };
      }),
    );
    await until(() => waiting.length === 3);
    socket.destroy();
    await until(() => gone === 3);
    await Promise.all(waiting.map((begin) => begin()));
    await until(() => handler.health.streams === 0 && handler.health.working === 0);
    await handler.close({ grace: 0 });
  });

  test('the transport classes for one session, and for the older transport', async () => {
    const streamable = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'one' });
    const pairs: SSEServerTransport[] = [];
    let ended = 0;
    const server = new McpServer({ name: 'classes', version: '1' });
    await server.connect(streamable);
    const { http, port } = await listen((request, response) => {
      if (request.url !== '/pair') return void streamable.handleRequest(request, response);
      const pair = new SSEServerTransport('/messages', response);
      pair.onclose = () => (ended += 1);
      pairs.push(pair);
      void new McpServer({ name: 'pair', version: '1' }).connect(pair);
    });
    closing.push(() => new Promise((resolve) => http.close(resolve)));
    const session = await openSession({ port });
    const { socket } = pipe(port, [
      { method: 'GET', path: '/pair' },
      { method: 'GET', path: '/pair' },
      { method: 'GET', headers: session.headers },
    ]);
    await until(() => pairs.length === 2);
    socket.destroy();
    await until(() => ended === 2);
    const again = await session.get();
    expect(again.status).toBe(200);
    again.abort();
    await server.close();
  });
});

describe('a connection that stays', () => {
  test('gets its answers in order, whatever is worked on first', async () => {
    const at = await serve();
    const { text } = pipe(at.port, [
      stateless('tools/call', { name: 'later', arguments: { text: 'slow', ms: 20 } }, { id: 1 }),
      stateless('tools/call', { name: 'echo', arguments: { text: 'quick' } }, { id: 2 }),
    ]);
    await until(() => text().includes('quick'));
    expect(text().indexOf('slow')).toBeLessThan(text().indexOf('quick'));
  });

  test('keeps nothing of thousands of requests, one after the other or many at once', async () => {
    const at = await serve();
    const accepted: Socket[] = [];
    at.http.on('connection', (socket: Socket) => accepted.push(socket));
    const warnings: Error[] = [];
    const note = (warning: Error): number => warnings.push(warning);
    process.on('warning', note);
    const call = (id: number): Sent =>
      stateless('tools/call', { name: 'later', arguments: { text: 'x', ms: 0 } }, { id });
    const { socket, text } = pipe(at.port, []);
    let sent = 0;
    for (const together of [...Array<number>(50).fill(1), ...Array<number>(50).fill(20)]) {
      socket.write(Array.from({ length: together }, () => written(call((sent += 1)))).join(''));
      await until(() => statuses(text()).length === sent);
    }
    expect(new Set(statuses(text()))).toEqual(new Set(['200']));
    const listeners = accepted.flatMap((one) => one.eventNames().map((event) => one.listenerCount(event)));
    expect(accepted).toHaveLength(1);
    expect(Math.max(...listeners)).toBeLessThan(5);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  test('has only so many requests worked on at a time; the others are refused', async () => {
    const server = makeServer();
    let [working, most, isOver] = [0, 0, false];
    const release: (() => void)[] = [];
    server.registerTool('hold', {}, async () => {
      most = Math.max(most, (working += 1));
      if (!isOver) await new Promise<void>((resolve) => release.push(resolve));
      working -= 1;
      return { content: [] };
    });
    const at = await serve({}, {}, server);
    const hold = (id: number): Sent => stateless('tools/call', { name: 'hold', arguments: {} }, { id });
    const { text } = pipe(
      at.port,
      Array.from({ length: 200 }, (_, id) => hold(id)),
    );
    await until(() => release.length > 0);
    // A request on another connection is answered after everything that was sent before it has been looked at.
    expect((await send(at, stateless('tools/call', { name: 'echo', arguments: { text: 'hi' } }))).status).toBe(200);
    expect(release.length).toBeLessThanOrEqual(33);
    isOver = true;
    for (const go of release) go();
    await until(() => statuses(text()).length === 200);
    expect(most).toBeLessThanOrEqual(33);
    expect(new Set(statuses(text()))).toEqual(new Set(['200', '429']));
  });
});
