import { describe, expect, test } from 'vitest';
import type { JsonObject, RequestId } from '../../src/jsonrpc/message.ts';
import { META_SUBSCRIPTION_ID } from '../../src/protocol/meta.ts';
import { proves } from '../requirements/proves.ts';
import { connected, failure } from './connected.ts';
import { legacy, modern, Refusal, type Answers, type Line, type Wire } from './fake-server.ts';

const tool = (name: string): JsonObject => ({ name, inputSchema: { type: 'object' } });

/** Acknowledges what it is asked for. */
const acknowledging: Answers = {
  'subscriptions/listen': (params, line, { id }) => acknowledge(line, id, params['notifications'] as JsonObject),
};

function acknowledge(line: Line, id: RequestId | undefined, notifications: JsonObject): void {
  line.notify('notifications/subscriptions/acknowledged', { notifications, _meta: { [META_SUBSCRIPTION_ID]: id } });
}

function event(line: Line, id: RequestId | undefined, method: string, params: JsonObject = {}): void {
  line.notify(method, { ...params, _meta: { [META_SUBSCRIPTION_ID]: id } });
}

describe('listen', () => {
  proves('M-SUB-001, M-SUB-007').test('resolves with what the server honours', async () => {
    const script = modern({
      'subscriptions/listen': (_params, line, { id }) => acknowledge(line, id, { toolsListChanged: true }),
    });
    const { client, transport } = await connected(script);
    const handle = await client.listen({ toolsListChanged: true, promptsListChanged: true });
    expect(transport.sentTo('subscriptions/listen')[0]?.params?.['notifications']).toEqual({
      toolsListChanged: true,
      promptsListChanged: true,
    });
    expect(handle.honored).toEqual({ toolsListChanged: true });
  });

  proves('M-STDIO-008, M-SUB-009').test(
    'two streams on one pipe: events reach the right handler, ids keep their type',
    async () => {
      const { client, transport, clock, problems } = await connected(modern(acknowledging));
      const seen: string[] = [];
      await client.listen(
        { toolsListChanged: true },
        { onnotification: ({ method }) => void seen.push(`one ${method}`) },
      );
      await client.listen(
        { promptsListChanged: true },
        { onnotification: ({ method }) => void seen.push(`two ${method}`) },
      );
      const [one, two] = transport.sentTo('subscriptions/listen').map(({ id }) => id);
      event(transport.line, two, 'notifications/prompts/list_changed');
      event(transport.line, one, 'notifications/tools/list_changed');
      event(transport.line, String(one), 'notifications/tools/list_changed');
      transport.line.notify('notifications/tools/list_changed');
      await clock.flush();
      expect(seen).toEqual(['two notifications/prompts/list_changed', 'one notifications/tools/list_changed']);
      expect(problems.length).toBe(2);
    },
  );

  proves('M-SUB-011').test('close cancels the request on the wire, once, and nothing more is delivered', async () => {
    const { client, transport, clock, problems } = await connected(modern(acknowledging));
    const seen: string[] = [];
    const handle = await client.listen(
      { toolsListChanged: true },
      { onnotification: ({ method }) => void seen.push(method) },
    );
    const id = transport.sentTo('subscriptions/listen')[0]?.id;
    handle.close();
    handle.close();
    expect(await handle.closed).toBe('local');
    event(transport.line, id, 'notifications/tools/list_changed');
    await clock.flush();
    expect(seen).toEqual([]);
    expect(problems).toEqual([]);
    expect(transport.sentTo('notifications/cancelled').map(({ params }) => params?.['requestId'])).toEqual([id]);
  });

  proves('M-CAN-004').test.each(['result', 'cancelled', 'result, cancelled', 'cancelled, result'])(
    'the server ends it with %s: once, and nothing is sent back',
    async (frames) => {
      const { client, transport, clock, problems } = await connected(modern(acknowledging));
      const handle = await client.listen({ toolsListChanged: true });
      const request = transport.sentTo('subscriptions/listen')[0]!;
      for (const frame of frames.split(', ')) {
        if (frame === 'result')
          transport.line.reply(request, { resultType: 'complete', _meta: { [META_SUBSCRIPTION_ID]: request.id } });
        else transport.line.notify('notifications/cancelled', { requestId: request.id, reason: 'shutting down' });
      }
      expect(await handle.closed).toBe('graceful');
      await clock.flush();
      expect(problems).toEqual([]);
      expect(transport.sentTo('notifications/cancelled')).toEqual([]);
      handle.close();
      await clock.flush();
      expect(transport.sentTo('notifications/cancelled')).toEqual([]);
    },
  );

  test('rejects when refused, when ended before it is acknowledged, and when never acknowledged', async () => {
    const refused = await connected(modern());
    await expect(refused.client.listen({ toolsListChanged: true })).rejects.toMatchObject({ code: -32601 });
    const ended = await connected(modern({ 'subscriptions/listen': () => ({ resultType: 'complete' }) }));
    await expect(ended.client.listen({ toolsListChanged: true })).rejects.toMatchObject({ code: 'closed' });
    const silent = await connected(modern({ 'subscriptions/listen': () => undefined }));
    const listening = failure(silent.client.listen({ toolsListChanged: true }));
    await silent.clock.advance(60_000);
    expect(await listening).toMatchObject({ code: 'idle-timeout' });
    expect(silent.transport.sentTo('notifications/cancelled').length).toBe(1);
  });

  test('a signal ends it like close; the end of the connection ends it as lost', async () => {
    const { client, transport, clock } = await connected(modern(acknowledging));
    const controller = new AbortController();
    const one = await client.listen({ toolsListChanged: true }, { signal: controller.signal });
    const two = await client.listen({ toolsListChanged: true });
    controller.abort();
    expect(await one.closed).toBe('local');
    expect(transport.sentTo('notifications/cancelled').length).toBe(1);
    transport.line.exit();
    expect(await two.closed).toBe('remote');
    await clock.flush();
    const again = await connected(modern(acknowledging));
    const three = await again.client.listen({ toolsListChanged: true });
    await again.client.close();
    expect(await three.closed).toBe('local');
  });
});

describe('subscriptions to resources', () => {
  test('handshake: one request each', async () => {
    const { client, transport, clock } = await connected(
      legacy({ 'resources/subscribe': () => ({}), 'resources/unsubscribe': () => ({}) }),
    );
    const seen: unknown[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void seen.push(params?.['uri']));
    await client.subscribeResource({ uri: 'a:1' });
    transport.line.notify('notifications/resources/updated', { uri: 'a:1' });
    await clock.flush();
    await client.unsubscribeResource({ uri: 'a:1' });
    expect(seen).toEqual(['a:1']);
    expect(transport.methods.slice(-2)).toEqual(['resources/subscribe', 'resources/unsubscribe']);
  });

  test('per-request: one stream for all, replaced without a gap when the set changes', async () => {
    const { client, transport, clock } = await connected(modern(acknowledging));
    const seen: unknown[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void seen.push(params?.['uri']));
    const filters = (): unknown[] =>
      transport
        .sentTo('subscriptions/listen')
        .map(({ params }) => (params?.['notifications'] as JsonObject | undefined)?.['resourceSubscriptions']);
    await client.subscribeResource({ uri: 'a:1' });
    await Promise.all([
      client.subscribeResource({ uri: 'a:2' }),
      client.subscribeResource({ uri: 'a:3' }),
      client.subscribeResource({ uri: 'a:1' }),
    ]);
    expect(filters()).toEqual([['a:1'], ['a:1', 'a:2', 'a:3']]);
    const [first, second] = transport.sentTo('subscriptions/listen').map(({ id }) => id);
    expect(transport.sent.slice(-1)).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: first } },
    ]);
    event(transport.line, first, 'notifications/resources/updated', { uri: 'a:1' });
    event(transport.line, second, 'notifications/resources/updated', { uri: 'a:3' });
    await clock.flush();
    expect(seen).toEqual(['a:3']);
    await client.unsubscribeResource({ uri: 'a:2' });
    await client.unsubscribeResource({ uri: 'a:1' });
    await client.unsubscribeResource({ uri: 'a:3' });
    expect(filters().slice(2)).toEqual([['a:1', 'a:3'], ['a:3']]);
    expect(transport.sentTo('notifications/cancelled').length).toBe(4);
  });

  test('one that the server does not honour is refused', async () => {
    const script = modern({ 'subscriptions/listen': (_params, line, { id }) => acknowledge(line, id, {}) });
    const { client } = await connected(script);
    await expect(client.subscribeResource({ uri: 'a:1' })).rejects.toThrow('a:1');
  });

  proves('M-SUB-015').test('a stream that the server ends is asked for again, ever more slowly', async () => {
    const { client, transport, clock } = await connected(modern(acknowledging));
    await client.subscribeResource({ uri: 'a:1' });
    const gaps: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      const asked = transport.sentTo('subscriptions/listen');
      transport.line.reply(asked.at(-1)!, { resultType: 'complete' });
      await clock.flush();
      const endedAt = clock.now();
      while (transport.sentTo('subscriptions/listen').length === asked.length) await clock.advance(100);
      gaps.push(clock.now() - endedAt);
    }
    for (const [index, gap] of gaps.entries()) {
      expect(gap).toBeGreaterThanOrEqual(500 * 2 ** index);
      expect(gap).toBeLessThanOrEqual(1000 * 2 ** index + 100);
    }
    await client.close();
    expect(clock.pending).toBe(0);
  });
});

describe('lists that change', () => {
  const changes = (): {
    calls: [unknown, unknown][];
    onChanged: (error: Error | null, items: unknown[] | null) => void;
  } => {
    const calls: [unknown, unknown][] = [];
    return { calls, onChanged: (error, items) => calls.push([error, items]) };
  };

  test('handshake: many notifications, one fetch, fresh items', async () => {
    const { calls, onChanged } = changes();
    let names = ['a'];
    const { client, transport, clock } = await connected(legacy({ 'tools/list': () => ({ tools: names.map(tool) }) }), {
      listChanged: { tools: { onChanged } },
    });
    await client.listTools();
    names = ['a', 'b'];
    for (let i = 0; i < 10; i += 1) {
      transport.line.notify('notifications/tools/list_changed');
      await clock.advance(50);
    }
    expect(calls).toEqual([]);
    await clock.advance(300);
    expect(calls).toMatchObject([[null, [{ name: 'a' }, { name: 'b' }]]]);
    expect(transport.sentTo('tools/list').length).toBe(2);
  });

  test('a change during the fetch leads to another one; a failed fetch is told', async () => {
    const { calls, onChanged } = changes();
    const held: (() => void)[] = [];
    let broken = false;
    const script = legacy({
      'prompts/list': (_params, line, message) =>
        broken ? new Refusal(-32603, 'broken') : void held.push(() => line.reply(message, { prompts: [] })),
    });
    const { transport, clock } = await connected(script, { listChanged: { prompts: { onChanged, debounceMs: 10 } } });
    transport.line.notify('notifications/prompts/list_changed');
    await clock.advance(10);
    transport.line.notify('notifications/prompts/list_changed');
    await clock.advance(10);
    expect(transport.sentTo('prompts/list').length).toBe(1);
    broken = true;
    held[0]?.();
    await clock.advance(10);
    expect(transport.sentTo('prompts/list').length).toBe(2);
    expect(calls).toMatchObject([
      [null, []],
      [{ code: -32603 }, null],
    ]);
  });

  test('a server that never stops telling does not keep its lists from being read', async () => {
    const { calls, onChanged } = changes();
    const script = legacy({ 'tools/list': () => ({ tools: [] }) });
    const { transport, clock } = await connected(script, { listChanged: { tools: { onChanged, debounceMs: 10 } } });
    for (let told = 0; told < 30; told += 1) {
      transport.line.notify('notifications/tools/list_changed');
      await clock.advance(5);
    }
    expect(calls).toEqual([[null, []]]);
    await clock.advance(10);
    expect(calls.length).toBe(2);
  });

  test('without refreshing, the change alone is told', async () => {
    const { calls, onChanged } = changes();
    const { transport, clock } = await connected(legacy(), {
      listChanged: { resources: { onChanged, autoRefresh: false, debounceMs: 0 } },
    });
    transport.line.notify('notifications/resources/list_changed');
    await clock.advance(0);
    expect(calls).toEqual([[null, null]]);
    expect(transport.methods).not.toContain('resources/list');
  });

  test('per-request: a stream is opened for them after connecting, for what the server offers, merged with resources', async () => {
    const { calls, onChanged } = changes();
    const script = modern(
      { ...acknowledging, 'tools/list': () => ({ tools: [tool('a')], ttlMs: 60_000 }) },
      { capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true } } },
    );
    const { client, transport, clock } = await connected(script, {
      listChanged: { tools: { onChanged }, prompts: { onChanged } },
    });
    await clock.flush();
    const listens = (): Wire[] => transport.sentTo('subscriptions/listen');
    expect(listens().map(({ params }) => params?.['notifications'])).toEqual([{ toolsListChanged: true }]);
    await client.listTools();
    event(transport.line, listens()[0]?.id, 'notifications/tools/list_changed');
    await clock.advance(300);
    expect(calls.length).toBe(1);
    expect(transport.sentTo('tools/list').length).toBe(2);
    await client.subscribeResource({ uri: 'a:1' });
    expect(listens().at(-1)?.params?.['notifications']).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['a:1'],
    });
    expect(listens().length).toBe(2);
  });
});
