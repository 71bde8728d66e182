import { afterEach, describe, expect, test } from 'vitest';
import { readEvents } from '../../../src/transports/http/client/body.ts';
import { SSEClientTransport, StreamableHTTPClientTransport } from '../../../src/client/index.ts';
import { ManualClock } from '../../../src/testing/index.ts';
import { until } from '../../until.ts';
import { closeAll, listen } from './http-server.ts';

afterEach(closeAll);

describe('a server that ends every stream at once', () => {
  test('and wants no pause is asked at a steady pace', async () => {
    let gets = 0;
    const server = await listen(({ method }, response) => {
      if (method === 'GET') gets += 1;
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.end(`retry: 0\nid: ${gets}\ndata:\n\n`);
    });
    const clock = new ManualClock();
    const transport = new StreamableHTTPClientTransport(server.url, { clock });
    await transport.start();
    const sent = transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} }).catch(() => {});
    for (let step = 0; step < 200; step += 1) {
      await clock.advance(50);
      // Whatever the client has asked for meanwhile is answered before this.
      await (await fetch(server.url, { method: 'POST' })).text();
    }
    expect(gets).toBeGreaterThan(5);
    expect(gets).toBeLessThanOrEqual(5 + 10 + 1);
    await transport.close();
    await sent;
  });

  test('is not asked with an event id that no header can hold', async () => {
    const server = await listen((_seen, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.end(`id: ${'x'.repeat(100_000)}\ndata:\n\n`);
    });
    const transport = new StreamableHTTPClientTransport(server.url, { clock: new ManualClock() });
    await transport.start();
    await expect(transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} })).rejects.toMatchObject({
      code: 'delivery-unknown',
    });
    expect(server.seen).toHaveLength(1);
    await transport.close();
  });
});

describe('a server of the older transport that accepts no message', () => {
  test('holds no connection of a request that was cancelled', async () => {
    let open = 0;
    const server = await listen(({ method, json }, response) => {
      if (method === 'GET') {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write('event: endpoint\ndata: /messages\n\n');
      } else if (json?.method === 'notifications/cancelled') response.writeHead(202).end();
      else {
        open += 1;
        response.on('close', () => (open -= 1));
      }
    });
    const transport = new SSEClientTransport(server.url);
    await transport.start();
    const sent = Array.from({ length: 5 }, (_, id) =>
      transport.send({ jsonrpc: '2.0', id, method: 'tools/call' }).catch((error: { code?: string }) => error.code),
    );
    await until(() => open === 5);
    for (let requestId = 0; requestId < 5; requestId += 1)
      await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    expect(await Promise.all(sent)).toEqual(Array.from({ length: 5 }, () => 'aborted'));
    await until(() => open === 0);
    await transport.close();
  });
});

describe('a server that redirects without end', () => {
  test('is followed five times', async () => {
    let hops = 0;
    const server = await listen((_seen, response) => {
      response.writeHead(307, { Location: `/mcp?hop=${(hops += 1)}` }).end();
    });
    const transport = new StreamableHTTPClientTransport(server.url);
    await transport.start();
    await expect(transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' })).rejects.toMatchObject({ code: 'http' });
    expect(hops).toBe(6);
    await transport.close();
  });
});

describe('a server that wants another token without end', () => {
  test('is sent a request eight times, whatever the provider says', async () => {
    const server = await listen((_seen, response) => {
      response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
    });
    const transport = new StreamableHTTPClientTransport(server.url, {
      authProvider: { token: () => 'token', onRefused: async () => 'retry' },
    });
    await transport.start();
    await expect(transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' })).rejects.toMatchObject({
      code: 'unauthorized',
    });
    expect(server.seen).toHaveLength(8);
    await transport.close();
  });
});

describe('a server that never ends what it sends', () => {
  test.each([
    ['an event', 'data: ', 'x'],
    ['a line that is no field', '', 'x'],
    ['the lines of an event', '', 'data: xxxxxxxxxxxxxxxx\n'],
  ])('%s, is broken off at the limit', async (_what, start, more) => {
    let sent = 0;
    const server = await listen((_seen, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const chunk = more.repeat(64 * 1024);
      const go = (): void => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      };
      response.write(start);
      response.on('drain', go);
      go();
    });
    const transport = new StreamableHTTPClientTransport(server.url, { maxMessageBytes: 1024 * 1024 });
    await transport.start();
    await expect(transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' })).rejects.toMatchObject({
      code: 'too-large',
    });
    expect(sent).toBeLessThan(64 * 1024 * 1024);
    await transport.close();
  });

  test('headers, is refused by the runtime', async () => {
    const server = await listen((_seen, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'X-Long': 'x'.repeat(1024 * 1024) }).end('{}');
    });
    const transport = new StreamableHTTPClientTransport(server.url);
    await transport.start();
    await expect(transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' })).rejects.toMatchObject({ code: 'network' });
    await transport.close();
  });
});

describe('the line ends of a stream of events', () => {
  const LINES = ['id: 1', 'data: one', 'data: two', '', ': comment', 'data: three', '', ''];
  const EXPECTED = ['1 one\ntwo', 'undefined three'];

  async function eventsOf(chunks: readonly string[]): Promise<string[]> {
    const events: string[] = [];
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
        controller.close();
      },
    });
    const onevent = ({ id, data }: { id?: string | undefined; data: string }): void =>
      void events.push(`${id} ${data}`);
    await readEvents(body, { maxBytes: 1024 * 1024, onretry: () => {}, onevent });
    return events;
  }

  test.each([
    ['line feeds', '\n'],
    ['carriage returns', '\r'],
    ['both', '\r\n'],
  ])('may be %s, split anywhere', async (_what, end) => {
    const text = LINES.join(end);
    for (let at = 0; at <= text.length; at += 1)
      expect(await eventsOf([text.slice(0, at), text.slice(at)]), `split at ${at}`).toEqual(EXPECTED);
    expect(await eventsOf(text.split(''))).toEqual(EXPECTED);
  });

  test('may be mixed, and there may be any number of them', async () => {
    expect(await eventsOf(['data: one\r\n\rdata: two\n\r', '\r'.repeat(4_000_000), 'data: three\n\n'])).toEqual([
      'undefined one',
      'undefined two',
      'undefined three',
    ]);
  });
});
