import { describe, expect, test, vi } from 'vitest';
import { META_SUBSCRIPTION_ID } from '../../src/protocol/meta.ts';
import { changeNotification, changeText, marked, type Change } from '../../src/server/changes/listening.ts';
import { McpServer, createMcpHandler, text, type McpHandlerOptions } from '../../src/server/index.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { proves } from '../requirements/proves.ts';
import { quiet, stateless } from '../server/wire.ts';
import { clientWordsOf } from '../../src/revisions/client-words.ts';

const CHANGES: Change[] = [
  { kind: 'tools' },
  { kind: 'prompts' },
  { kind: 'resources' },
  { kind: 'resource', uri: 'note:///"}}}\\ \u2028☃' },
];

function make(
  options: McpHandlerOptions = {},
  clock?: ManualClock,
): { server: McpServer; handler: ReturnType<typeof createMcpHandler> } {
  const server = new McpServer(
    { name: 's', version: '1' },
    { capabilities: { resources: { subscribe: true } }, ...(clock && { clock }) },
  );
  server.registerTool('t', {}, () => text(''));
  return { server, handler: createMcpHandler(server, { keepAliveMs: 3_600_000, ...options }) };
}

interface Listener {
  response: Response;
  reader: ReadableStreamDefaultReader<Uint8Array>;
  next(): Promise<any>;
}

async function listen(
  handler: ReturnType<typeof createMcpHandler>,
  id: string | number,
  notifications: object = { toolsListChanged: true },
): Promise<Listener> {
  const params = clientWordsOf(stateless).writeRequest({
    method: 'subscriptions/listen',
    params: { notifications },
    facts: { capabilities: {} },
  });
  const response = await handler.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        host: 'localhost',
        'mcp-protocol-version': stateless.id,
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params }),
    }),
  );
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let waiting = '';
  const next = async (): Promise<any> => {
    for (;;) {
      const at = waiting.indexOf('\n\n');
      if (at >= 0) {
        const data = /^data: (.*)$/m.exec(waiting.slice(0, at))?.[1];
        waiting = waiting.slice(at + 2);
        if (data !== undefined) return JSON.parse(data);
        continue;
      }
      const { done, value } = await reader.read();
      if (done) return undefined;
      waiting += decoder.decode(value, { stream: true });
    }
  };
  return { response, reader, next };
}

describe('the text of a change', () => {
  test.each(CHANGES)('with the id in between is the message: %j', (change) => {
    const { method, params } = changeNotification(change);
    for (const id of [1, 'one', '"}', 0]) {
      const { before, after } = changeText(change);
      expect(JSON.parse(`${before}${JSON.stringify(id)}${after}`)).toEqual({
        jsonrpc: '2.0',
        method,
        params: marked(params, id),
      });
    }
  });
});

describe('one change and five hundred listeners', () => {
  proves('M-SUB-008').test('all are told, each under its own id, of a text that was written once', async () => {
    const { server, handler } = make();
    const listeners = await Promise.all(
      Array.from({ length: 500 }, (_, index) => listen(handler, index % 2 === 0 ? index : `l${index}`)),
    );
    for (const listener of listeners)
      expect((await listener.next()).method).toBe('notifications/subscriptions/acknowledged');
    const stringify = vi.spyOn(JSON, 'stringify');
    const before = performance.now();
    server.registerTool('u', {}, () => text(''));
    await quiet();
    const took = performance.now() - before;
    const messages = stringify.mock.calls.filter(
      ([value]) =>
        typeof value === 'object' &&
        value !== null &&
        'method' in value &&
        value.method === 'notifications/tools/list_changed',
    );
    stringify.mockRestore();
    expect(messages).toHaveLength(1);
    for (const [index, listener] of listeners.entries()) {
      expect(await listener.next()).toEqual({
        jsonrpc: '2.0',
        method: 'notifications/tools/list_changed',
        params: { _meta: { [META_SUBSCRIPTION_ID]: index % 2 === 0 ? index : `l${index}` } },
      });
    }
    expect(took).toBeLessThan(1000);
    await handler.close();
  });

  test('the dead and the slow delay nobody, and are forgotten', async () => {
    const { server, handler } = make();
    const listeners = await Promise.all(Array.from({ length: 50 }, (_, index) => listen(handler, index)));
    for (const listener of listeners) await listener.next();
    // Every second one goes away; every third never reads again.
    await Promise.all(listeners.filter((_, index) => index % 2 === 0).map(({ reader }) => reader.cancel()));
    for (let i = 0; i < 3; i += 1) {
      server.registerTool(`u${i}`, {}, () => text(''));
      await quiet();
    }
    for (const [index, listener] of listeners.entries()) {
      if (index % 2 === 0 || index % 3 === 0) continue;
      for (let i = 0; i < 3; i += 1) expect((await listener.next()).method).toBe('notifications/tools/list_changed');
    }
    await handler.close();
  });
});

describe('the life of a stream', () => {
  proves('M-SUB-014').test('ends in good order when the server closes', async () => {
    const { handler } = make();
    const listener = await listen(handler, 'L1');
    await listener.next();
    await handler.close();
    expect(await listener.next()).toMatchObject({
      id: 'L1',
      result: { resultType: 'complete', _meta: { [META_SUBSCRIPTION_ID]: 'L1' } },
    });
    expect(await listener.next()).toBeUndefined();
  });

  test('is limited', async () => {
    const clock = new ManualClock(1e12);
    const { server, handler } = make({ listenLifetimeMs: 60_000 }, clock);
    const listener = await listen(handler, 7);
    await listener.next();
    await clock.advance(59_999);
    server.registerTool('u', {}, () => text(''));
    await quiet();
    expect((await listener.next()).method).toBe('notifications/tools/list_changed');
    await clock.advance(1);
    expect(await listener.next()).toMatchObject({ id: 7, result: { resultType: 'complete' } });
    expect(await listener.next()).toBeUndefined();
  });

  test('is over at once where nothing was granted, and there are only so many', async () => {
    const { handler } = make({ maxListens: 2 });
    for (let i = 0; i < 5; i += 1) {
      const nothing = await listen(handler, i, { promptsListChanged: true });
      expect((await nothing.next()).params.notifications).toEqual({});
      expect(await nothing.next()).toMatchObject({ id: i, result: { resultType: 'complete' } });
      expect(await nothing.next()).toBeUndefined();
    }
    await listen(handler, 'a');
    const second = await listen(handler, 'b');
    const refused = await listen(handler, 'c');
    expect(JSON.parse(new TextDecoder().decode((await refused.reader.read()).value))).toMatchObject({
      id: 'c',
      error: { message: expect.stringContaining('No more than 2') as string },
    });
    await second.reader.cancel();
    await quiet();
    expect((await (await listen(handler, 'd')).next()).method).toBe('notifications/subscriptions/acknowledged');
    await handler.close();
  });
});
