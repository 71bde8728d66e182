import { describe, expect, test } from 'vitest';
import { backoff } from '../../src/client/connecting/healing.ts';
import { META_LOG_LEVEL, META_SUBSCRIPTION_ID } from '../../src/protocol/meta.ts';
import { proves } from '../requirements/proves.ts';
import { connected, failure } from './connected.ts';
import { legacy, modern, Refusal, type Answers, type Behaviour } from './fake-server.ts';

const RESTARTABLE = { restartable: true };
const RECONNECT = { attempts: 3, initialDelayMs: 100, factor: 2, jitter: 0, maxDelayMs: 1000 };
const acknowledging: Answers = {
  'subscriptions/listen': (params, line, { id }) =>
    line.notify('notifications/subscriptions/acknowledged', {
      notifications: params['notifications'],
      _meta: { [META_SUBSCRIPTION_ID]: id },
    }),
};

test('delays grow to a limit, and chance only makes them shorter', () => {
  const policy = { initialDelayMs: 100, factor: 3, maxDelayMs: 1000, jitter: 0.5 };
  expect([0, 1, 2, 3].map((attempt) => backoff(attempt, policy, 0))).toEqual([100, 300, 900, 1000]);
  expect(backoff(1, policy, 1)).toBe(150);
});

describe('a server that ends', () => {
  proves('M-STDIO-015').test(
    'what was on its way fails as of unknown delivery and is not repeated; later calls wait for the new server',
    async () => {
      const { client, transport, clock } = await connected(
        legacy({ 'tools/call': (params) => (params['name'] === 'slow' ? undefined : { content: [] }) }),
        { reconnect: RECONNECT },
        RESTARTABLE,
      );
      const slow = failure(client.callTool({ name: 'slow' }));
      await clock.flush();
      transport.line.exit('exit code 9');
      const error = await slow;
      expect(error).toMatchObject({ code: 'delivery-unknown', cause: transport.lastFailure });
      expect(error.message).toContain('exit code 9');
      const later = client.callTool({ name: 'fast' });
      await clock.advance(100);
      expect(await later).toEqual({ content: [] });
      expect(transport.runs.length).toBe(2);
      // The verdict is known, so there is no second probe.
      expect(transport.methods).toEqual(['initialize', 'notifications/initialized', 'tools/call']);
      expect(transport.sentTo('tools/call')[0]?.params).toMatchObject({ name: 'fast' });
    },
  );

  test('handshake: log level and subscriptions are put back, and lists with a handler are read anew', async () => {
    const answers: Answers = {
      'logging/setLevel': () => ({}),
      'resources/subscribe': () => ({}),
      'resources/unsubscribe': () => ({}),
      'tools/list': () => ({ tools: [] }),
    };
    let told = 0;
    const { client, transport, clock } = await connected(
      legacy(answers),
      { reconnect: RECONNECT, listChanged: { tools: { onChanged: () => (told += 1) } } },
      RESTARTABLE,
    );
    await client.setLoggingLevel('debug');
    await client.subscribeResource({ uri: 'a:1' });
    await client.subscribeResource({ uri: 'a:2' });
    await client.unsubscribeResource({ uri: 'a:2' });
    transport.line.exit();
    await clock.advance(500);
    expect(transport.methods.slice(0, 2)).toEqual(['initialize', 'notifications/initialized']);
    expect(transport.methods.slice(2).toSorted()).toEqual(['logging/setLevel', 'resources/subscribe', 'tools/list']);
    expect(transport.sentTo('resources/subscribe')[0]?.params).toMatchObject({ uri: 'a:1' });
    expect(told).toBe(1);
  });

  proves('M-STDIO-016, M-SUB-016').test('per-request: streams are asked for again and keep their handles', async () => {
    const { client, transport, clock } = await connected(
      modern({ ...acknowledging, 'tools/call': () => ({ content: [] }) }),
      { reconnect: RECONNECT },
      RESTARTABLE,
    );
    const seen: string[] = [];
    const handle = await client.listen(
      { toolsListChanged: true },
      { onnotification: ({ method }) => void seen.push(method) },
    );
    await client.subscribeResource({ uri: 'a:1' });
    await client.setLoggingLevel('info');
    let ended = false;
    void handle.closed.then(() => (ended = true));
    transport.line.exit();
    await clock.advance(100);
    expect(transport.methods).toEqual(['server/discover', 'subscriptions/listen', 'subscriptions/listen']);
    expect(transport.sentTo('subscriptions/listen').map(({ params }) => params?.['notifications'])).toEqual([
      { toolsListChanged: true },
      { resourceSubscriptions: ['a:1'] },
    ]);
    transport.line.notify('notifications/tools/list_changed', {
      _meta: { [META_SUBSCRIPTION_ID]: transport.sentTo('subscriptions/listen')[0]?.id },
    });
    await clock.flush();
    expect(seen).toEqual(['notifications/tools/list_changed']);
    expect(ended).toBe(false);
    await client.callTool({ name: 'x' });
    expect(transport.sent.at(-1)?.params?._meta?.[META_LOG_LEVEL]).toBe('info');
    await client.close();
    expect(await handle.closed).toBe('local');
  });

  test('a server that ends again as soon as it is back is healed again, and nobody is forgotten', async () => {
    const flaky: Behaviour = (message, line) => {
      legacy()(message, line);
      if (message.method === 'notifications/initialized') line.exit();
    };
    const { client, transport, clock } = await connected(
      (run: number) => (run === 1 || run === 2 ? flaky : legacy()),
      { reconnect: RECONNECT },
      RESTARTABLE,
    );
    transport.line.exit();
    await clock.flush();
    const waiting = client.ping().then(
      () => 'answered',
      (error: Error & { code: string }) => error.code,
    );
    await clock.advance(5000);
    expect(['answered', 'delivery-unknown']).toContain(await waiting);
    expect(await client.ping()).toEqual({});
    expect(transport.runs.length).toBe(4);
  });

  test('a server that ends whenever it has been started is given up; one that lasts gets all its attempts back', async () => {
    const flaky: Behaviour = (message, line) => {
      legacy()(message, line);
      if (message.method === 'notifications/initialized') line.exit();
    };
    const looping = await connected(
      (run: number) => (run === 0 ? legacy() : flaky),
      { reconnect: RECONNECT },
      RESTARTABLE,
    );
    let closed = 0;
    looping.client.onclose = () => (closed += 1);
    looping.transport.line.exit();
    await looping.clock.advance(60_000);
    expect(closed).toBe(1);
    expect(looping.transport.runs.length).toBe(4);
    const lasting = await connected(legacy(), { reconnect: RECONNECT }, RESTARTABLE);
    for (let i = 0; i < 10; i += 1) {
      lasting.transport.line.exit();
      await lasting.clock.advance(2000);
    }
    expect(lasting.transport.runs.length).toBe(11);
  });

  test('gives up after its attempts, with growing delays, and says so once', async () => {
    const dead: Behaviour = (_message, line) => line.exit('exit code 1');
    const { client, transport, clock, problems } = await connected(
      (run: number) => (run === 0 ? legacy() : dead),
      { reconnect: RECONNECT },
      RESTARTABLE,
    );
    let closed = 0;
    client.onclose = () => (closed += 1);
    transport.line.exit('exit code 1');
    await clock.flush();
    const waiting = failure(client.ping());
    const runsAt: number[] = [];
    for (let at = 0; at <= 1000; at += 50) {
      runsAt.push(transport.runs.length);
      await clock.advance(50);
    }
    expect(closed).toBe(1);
    expect(await waiting).toMatchObject({ code: 'closed' });
    expect(problems.length).toBe(3);
    expect(runsAt.filter((runs) => runs === 1).length).toBe(2);
    await expect(client.ping()).rejects.toMatchObject({ code: 'closed' });
    expect(clock.pending).toBe(0);
  });

  test('close while it heals ends the attempts', async () => {
    const { client, transport, clock } = await connected(legacy(), { reconnect: RECONNECT }, RESTARTABLE);
    let closed = 0;
    client.onclose = () => (closed += 1);
    transport.line.exit();
    await clock.flush();
    const waiting = failure(client.ping());
    await client.close();
    expect(await waiting).toMatchObject({ code: 'closed' });
    await clock.advance(10_000);
    expect(transport.runs.length).toBe(1);
    expect(closed).toBe(1);
    expect(clock.pending).toBe(0);
  });

  test('a transport that cannot be started again is not', async () => {
    const { client, transport, clock } = await connected(legacy(), { reconnect: true });
    let closed = 0;
    client.onclose = () => (closed += 1);
    transport.line.exit();
    await clock.advance(60_000);
    expect(closed).toBe(1);
    expect(transport.runs.length).toBe(1);
  });
});

describe('the heartbeat', () => {
  proves('L-PING-003, L-PING-004, L-PING-005, L-PING-008').test.each([
    ['ping', legacy],
    ['server/discover', modern],
  ] as const)('uses %s, and a server that no longer answers is given up', async (method, server) => {
    let deaf = false;
    const script = server();
    const { client, transport, clock } = await connected(
      (message, line) => (deaf ? undefined : script(message, line)),
      { heartbeat: { intervalMs: 1000, failures: 2 } },
    );
    let closed = 0;
    client.onclose = () => (closed += 1);
    const before = transport.sentTo(method).length;
    await clock.advance(3500);
    expect(transport.sentTo(method).length - before).toBe(3);
    deaf = true;
    const call = failure(client.callTool({ name: 'x' }));
    await clock.advance(4000);
    expect(closed).toBe(1);
    expect(await call).toMatchObject({ code: 'closed', cause: { code: 'stale' } });
    expect(transport.isOpen).toBe(false);
    expect(clock.pending).toBe(0);
  });

  test('a server that refuses it is alive, and one that is given up is started again', async () => {
    let deaf = false;
    const script = legacy({ ping: () => undefined });
    const refusing = legacy({ ping: () => new Refusal(-32601) });
    const { transport, clock } = await connected(
      (message, line) => (deaf ? script : message.method === 'ping' ? refusing : legacy())(message, line),
      { heartbeat: { intervalMs: 1000, failures: 1 }, reconnect: RECONNECT },
      RESTARTABLE,
    );
    await clock.advance(5000);
    expect(transport.runs.length).toBe(1);
    deaf = true;
    await clock.advance(2100);
    expect(transport.runs.length).toBe(2);
  });
});
