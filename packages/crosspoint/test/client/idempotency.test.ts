import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { Client, createVerdictMemory } from '../../src/client/index.ts';
import { IDEMPOTENCY_CAPABILITY, META_FIRST_SENT_AGO, META_IDEMPOTENCY_KEY } from '../../src/protocol/meta.ts';
import { McpServer, createMcpHandler, text } from '../../src/server/index.ts';
import { connected, failure, type Connected } from './connected.ts';
import { legacy, modern, Refusal, type Answers, type Behaviour, type Wire } from './fake-server.ts';

const RECONNECT = { attempts: 3, initialDelayMs: 100, factor: 2, jitter: 0, maxDelayMs: 1000 };
const PROMISE = { experimental: { [IDEMPOTENCY_CAPABILITY]: {} } };

const families: readonly [string, typeof legacy][] = [
  ['handshake', legacy],
  ['per-request', modern],
];

/** A server that ends when it is first called, and answers from then on. */
async function losing(
  speak: typeof legacy,
  capabilities: object,
  answer: unknown = { content: [{ type: 'text', text: 'done' }] },
): Promise<Connected> {
  const script = (run: number): Behaviour => {
    const answers: Answers = {
      'tools/call': (_params, line) => {
        if (run > 0) return answer;
        line.exit('gone');
        return undefined;
      },
    };
    return speak(answers, { capabilities: { tools: {}, ...capabilities } });
  };
  return connected(script, { reconnect: RECONNECT }, { restartable: true });
}

const calls = ({ transport }: Connected): Wire[] =>
  transport.runs.flat().filter((message) => message.method === 'tools/call');

describe.each(families)('a call with a key, %s', (_family, speak) => {
  test('says so beside what else it says', async () => {
    const all = await connected(speak({ 'tools/call': () => ({ content: [] }) }));
    await all.client.callTool({ name: 'act', _meta: { own: 1 } }, { idempotencyKey: 'k' });
    await all.client.callTool({ name: 'act' });
    const [keyed, plain] = calls(all);
    expect(keyed?.params?._meta).toMatchObject({ own: 1, [META_IDEMPOTENCY_KEY]: 'k' });
    expect(keyed?.params?._meta).not.toHaveProperty(META_FIRST_SENT_AGO);
    expect(plain?.params?._meta ?? {}).not.toHaveProperty(META_IDEMPOTENCY_KEY);
  });

  test('is sent again when it was lost and the server remembers, with the time since', async () => {
    const all = await losing(speak, PROMISE);
    const called = all.client.callTool({ name: 'act' }, { idempotencyKey: 'k' });
    await all.clock.advance(100);
    expect(await called).toMatchObject({ content: [{ text: 'done' }] });
    expect(
      calls(all).map(({ params }) => [params?._meta?.[META_IDEMPOTENCY_KEY], params?._meta?.[META_FIRST_SENT_AGO]]),
    ).toEqual([
      ['k', undefined],
      ['k', 100],
    ]);
  });

  test('is not sent again where nobody has promised to remember, or the caller does not want it', async () => {
    for (const [capabilities, options] of [
      [{}, { idempotencyKey: 'k' }],
      [PROMISE, {}],
      [PROMISE, { idempotencyKey: 'k', replay: false }],
    ] as const) {
      const all = await losing(speak, capabilities);
      const error = failure(all.client.callTool({ name: 'act' }, options));
      await all.clock.advance(1000);
      expect(await error).toMatchObject({ code: 'delivery-unknown' });
      expect(calls(all)).toHaveLength(1);
    }
  });

  test('whose repeat the server cannot place ends as what it is: of unknown delivery', async () => {
    for (const reason of ['forgotten', 'unknown']) {
      const all = await losing(speak, PROMISE, new Refusal(409, 'Not known.', { reason }));
      const error = failure(all.client.callTool({ name: 'act' }, { idempotencyKey: 'k' }));
      await all.clock.advance(1000);
      expect(await error).toMatchObject({ code: 'delivery-unknown' });
      expect(calls(all)).toHaveLength(2);
    }
  });
});

describe('over HTTP', () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  test.each(['handshake', 'per-request'] as const)(
    'a call whose connection breaks is carried out once and answered, %s',
    { timeout: 30_000 },
    async (family) => {
      let runs = 0;
      const answering = new Set<ServerResponse>();
      const server = new McpServer({ name: 'once', version: '1.0' }, { idempotency: {} });
      server.registerTool('act', {}, async () => {
        runs += 1;
        // The client's connections break while the call is carried out.
        for (const response of answering) response.socket?.destroy();
        await new Promise((resolve) => setTimeout(resolve, 20));
        return text(`run ${runs}`);
      });
      const handler = createMcpHandler(server, { sessions: { resumable: false } });
      const http = createServer((request, response) => {
        answering.add(response);
        response.once('close', () => answering.delete(response));
        void handler.node(request, response);
      });
      http.listen(0, '127.0.0.1');
      await once(http, 'listening');
      const client = new Client(
        { name: 'c', version: '1' },
        { verdicts: createVerdictMemory(), reconnect: { initialDelayMs: 50, jitter: 0 } },
      );
      ends.push(async () => {
        await client.close();
        await handler.close({ grace: 0 });
        http.closeAllConnections();
        http.close();
      });
      const { port } = http.address() as AddressInfo;
      await client.connect({
        url: `http://127.0.0.1:${port}/mcp`,
        family,
        reconnectionOptions: { initialReconnectionDelay: 20, maxRetries: 1 },
      });
      const result = await client.callTool({ name: 'act' }, { idempotencyKey: crypto.randomUUID() });
      expect(result).toMatchObject({ content: [{ text: 'run 1' }] });
      expect(runs).toBe(1);
    },
  );
});
