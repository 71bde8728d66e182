import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { createMcpHandler } from '../../src/server/index.ts';
import { closeAll, initialize, makeServer, openSession, send, serve, stateless, until } from './serving.ts';

const MIB = 1024 * 1024;
let collect: () => void = () => {};
const sockets: Socket[] = [];

beforeAll(() => {
  setFlagsFromString('--expose-gc');
  collect = runInNewContext('gc') as () => void;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await closeAll();
});

/** What is in use after everything that can go has gone. */
async function used(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A client that says something and never reads. */
function deaf(port: number, text: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text, () => resolve(socket)));
    socket.pause();
    socket.on('error', () => {});
    socket.once('error', reject);
    sockets.push(socket);
  });
}

function raw(method: string, { headers, body }: { headers?: Record<string, string>; body?: unknown }): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = Object.entries({
    host: 'localhost',
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  });
  return `${method} /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`;
}

test('two thousand abandoned sessions are gone after the idle time, with no growth', { timeout: 60_000 }, async () => {
  const clock = new ManualClock(1_000_000);
  const store = memoryStore({ now: () => clock.now() });
  const server = makeServer({ clock });
  const handler = createMcpHandler(server, { store, sessions: { idleMs: 60_000 } });
  const abandon = async (count: number): Promise<void> => {
    for (let made = 0; made < count; made += 1) {
      const request = new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(initialize()),
      });
      const id = (await handler.fetch(request)).headers.get('mcp-session-id') ?? '';
      const call = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'echo', arguments: { text: 'x'.repeat(200) } },
      };
      const answer = await handler.fetch(
        new Request('http://localhost/mcp', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'mcp-session-id': id },
          body: JSON.stringify(call),
        }),
      );
      await answer.text();
    }
    expect(handler.health.sessions).toBe(count);
    await clock.advance(120_000);
    expect(handler.health.sessions).toBe(0);
    expect(server.isConnected()).toBe(false);
    expect(await store.keys('')).toEqual([]);
    expect(clock.pending).toBe(0);
  };
  /** What can no longer be resumed is forgotten with the next session. */
  const settle = async (): Promise<void> => {
    await clock.advance(600_000);
    await abandon(1);
  };
  await abandon(300);
  await settle();
  const before = await used();
  await abandon(2000);
  await settle();
  expect((await used()) - before).toBeLessThan(4 * MIB);
  await handler.close({ grace: 0 });
});

describe('readers that do not read', () => {
  test('are cut, and what was for them does not pile up', { timeout: 30_000 }, async () => {
    const server = makeServer();
    let signal: AbortSignal | undefined;
    server.registerTool('flood', {}, async (ctx) => {
      signal = ctx.signal;
      for (let line = 0; line < 400 && !ctx.signal.aborted; line += 1) {
        ctx.log('info', 'x'.repeat(MIB));
        await new Promise((resolve) => setImmediate(resolve));
      }
      return { content: [] };
    });
    const at = await serve({ maxBufferedBytes: MIB }, {}, server);
    const before = await used();
    let peak = 0;
    const watch = setInterval(
      () => (peak = Math.max(peak, process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed)),
      5,
    );
    await deaf(
      at.port,
      raw(
        'POST',
        stateless('tools/call', { name: 'flood' }, { meta: { 'io.modelcontextprotocol/logLevel': 'debug' } }),
      ),
    );
    await until(() => signal?.aborted === true);
    clearInterval(watch);
    expect(peak - before).toBeLessThan(150 * MIB);
    await until(() => at.handler.health.working === 0);
    expect((await used()) - before).toBeLessThan(16 * MIB);
  });

  test('are cut in the web form as well', async () => {
    const server = makeServer();
    let signal: AbortSignal | undefined;
    server.registerTool('flood', {}, async (ctx) => {
      signal = ctx.signal;
      while (!ctx.signal.aborted) {
        ctx.log('info', 'x'.repeat(MIB));
        await new Promise((resolve) => setImmediate(resolve));
      }
      return { content: [] };
    });
    const handler = createMcpHandler(server, { maxBufferedBytes: MIB });
    const { headers, body } = stateless(
      'tools/call',
      { name: 'flood' },
      { meta: { 'io.modelcontextprotocol/logLevel': 'debug' } },
    );
    const answer = await handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
    await until(() => signal?.aborted === true);
    await expect(answer.text()).rejects.toThrow();
    expect(handler.health.working).toBe(0);
    await handler.close({ grace: 0 });
  });

  test('of listen streams and of standing streams are cut as well', { timeout: 30_000 }, async () => {
    const server = makeServer();
    const at = await serve({ maxBufferedBytes: 64 * 1024 }, {}, server);
    const uri = `note://${'x'.repeat(100_000)}`;
    const before = await used();
    for (let client = 0; client < 20; client += 1)
      await deaf(
        at.port,
        raw('POST', stateless('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } })),
      );
    for (let client = 0; client < 20; client += 1) {
      const session = await openSession(at);
      await session.post({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } });
      await deaf(at.port, raw('GET', { headers: session.headers }));
    }
    await until(() => at.handler.health.streams === 20);
    for (let change = 0; change < 200; change += 1) {
      await server.server.sendResourceUpdated({ uri });
      if (change % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await until(() => at.handler.health.streams === 0);
    // What is kept to be resumed from is bounded by the session: 20 of 4 MiB at most, and text is kept once.
    expect((await used()) - before).toBeLessThan(100 * MIB);
    expect((await send(at, stateless('tools/list'))).status).toBe(200);
  });
});

describe('bodies', () => {
  test('that say they are too large are refused before they are read', async () => {
    const at = await serve({ maxBodyBytes: 1000 });
    const answer = await send(at, { body: JSON.stringify({ x: 'y'.repeat(2000) }) });
    expect([answer.status, answer.headers.connection]).toEqual([413, 'close']);
    expect((await answer.json()).error?.code).toBe(-32600);
  });

  test('that never end are cut at the limit, and nothing of them stays', { timeout: 30_000 }, async () => {
    const at = await serve({ maxBodyBytes: MIB });
    const before = await used();
    const replies = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = connect(at.port, '127.0.0.1');
        sockets.push(socket);
        let text = '';
        socket.on('data', (chunk) => (text += String(chunk)));
        socket.on('error', () => {});
        socket.write(
          'POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
        );
        const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
        for (let sent = 0; sent < 500 && !socket.destroyed; sent += 1) {
          socket.write(chunk);
          await new Promise((resolve) => setImmediate(resolve));
        }
        await until(() => socket.destroyed);
        return text;
      }),
    );
    for (const text of replies) if (text !== '') expect(text).toMatch(/^HTTP\/1\.1 413/);
    expect(replies.some((text) => text !== '')).toBe(true);
    expect((await used()) - before).toBeLessThan(16 * MIB);
  });

  test('that do not come are given up after their time: 408, and the connection is closed', async () => {
    const at = await serve({ bodyTimeoutMs: 30 });
    let text = '';
    let closed = false;
    const socket = connect(at.port, '127.0.0.1', () =>
      socket.write(
        'POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"half":',
      ),
    );
    sockets.push(socket);
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.on('close', () => (closed = true));
    await until(() => closed);
    expect(text).toMatch(/^HTTP\/1\.1 408/);
  });

  test('that do not come, or are too large, are given up in the web form as well', async () => {
    const handler = createMcpHandler(makeServer(), { bodyTimeoutMs: 30, maxBodyBytes: 1000 });
    const post = (body: ReadableStream): Promise<Response> =>
      handler.fetch(
        new Request('http://localhost/mcp', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
          duplex: 'half',
        } as RequestInit),
      );
    let cancelled = 0;
    const cancel = (): void => void (cancelled += 1);
    expect((await post(new ReadableStream({ cancel }))).status).toBe(408);
    expect(
      (await post(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(600)), cancel })))
        .status,
    ).toBe(413);
    expect(cancelled).toBe(2);
    await handler.close({ grace: 0 });
  });

  test('of another type, in another encoding or compressed are 415; what is no JSON is 400 and -32700', async () => {
    const at = await serve();
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json; charset=latin1' },
      { 'content-encoding': 'gzip' },
      { 'content-type': 'application/jsonp' },
    ] as Record<string, string>[]) {
      expect((await send(at, { body: initialize(), headers })).status).toBe(415);
    }
    expect(
      (await send(at, { body: initialize(), headers: { 'content-type': 'Application/JSON; charset="UTF-8"' } })).status,
    ).toBe(200);
    const answer = await send(at, { body: '{"jsonrpc":' });
    expect([answer.status, (await answer.json()).error?.code]).toEqual([400, -32700]);
    expect((await send(at, { body: '' })).status).toBe(400);
  });
});

test('a hundred connections that say half of their headers disturb nobody', async () => {
  const at = await serve();
  for (let client = 0; client < 100; client += 1) await deaf(at.port, 'POST /mcp HTTP/1.1\r\nHost: local');
  expect((await send(at, stateless('tools/list'))).status).toBe(200);
});
