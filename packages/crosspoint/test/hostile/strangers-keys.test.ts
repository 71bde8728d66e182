import { afterEach, describe, expect, test } from 'vitest';
import { META_IDEMPOTENCY_KEY } from '../../src/protocol/meta.ts';
import { McpServer, text } from '../../src/server/index.ts';
import { connectLinked } from '../../src/testing/index.ts';
import { closeAll, openSession, send, serve, stateless, type Served } from '../http/serving.ts';
import { fromJsonSchema } from '../../src/schema/index.ts';

afterEach(closeAll);

/** A tool of which each run gives something else. */
async function shop(options = {}): Promise<{ at: Served; runs: () => number }> {
  const server = new McpServer({ name: 'shop', version: '1' }, { idempotency: {}, ...options });
  let runs = 0;
  server.registerTool('pay', { inputSchema: fromJsonSchema({ type: 'object' }) }, (args) => {
    runs += 1;
    return text(`receipt ${runs} for ${JSON.stringify(args)}`);
  });
  const at = await serve({ jsonOnly: true, clientAddress: (request) => request.header('x-from') }, {}, server);
  return { at, runs: () => runs };
}

async function pay(at: Served, key: unknown, args: object = {}, from = 'home'): Promise<any> {
  const meta = { [META_IDEMPOTENCY_KEY]: key };
  const sent = stateless('tools/call', { name: 'pay', arguments: args }, { meta, headers: { 'x-from': from } });
  return (await send(at, sent)).json();
}

describe('an idempotency key of a caller without a name', () => {
  test.each(['1', 'order-1', 'order-2026-11-16-000000000001', 'x'.repeat(64), '0123456789abcdef'])(
    'that others could guess (%s) is refused, and nothing is carried out, given away or blocked',
    async (key) => {
      const { at, runs } = await shop();
      for (const args of [{}, {}, { other: true }]) {
        const { error, result } = await pay(at, key, args);
        expect([error?.code, result]).toEqual([-32602, undefined]);
        expect(error?.message).toContain('UUID');
      }
      const session = await openSession(at);
      const answer = await (await session.call(1, 'pay', {}, { [META_IDEMPOTENCY_KEY]: key })).json();
      expect(answer.error?.code).toBe(-32602);
      expect(runs()).toBe(0);
    },
  );

  test('that nobody can guess is honoured wherever the repeat comes from: the next session, another address', async () => {
    const { at, runs } = await shop();
    const key = crypto.randomUUID();
    const first = (await pay(at, key)).result;
    expect((await pay(at, key, {}, 'roaming')).result).toEqual(first);
    for (let index = 0; index < 2; index += 1) {
      const session = await openSession(at);
      const again = await (await session.call(1, 'pay', {}, { [META_IDEMPOTENCY_KEY]: key })).json();
      expect((again.result as any).content).toEqual(first.content);
    }
    expect(runs()).toBe(1);
    expect((await pay(at, crypto.randomUUID())).result).not.toEqual(first);
  });

  test('may be anything where there is one caller, and where callers have names', async () => {
    const server = new McpServer({ name: 'shop', version: '1' });
    server.registerTool('pay', {}, () => text('paid'));
    const { client, close } = await connectLinked(server);
    expect(await client.callTool({ name: 'pay' }, { idempotencyKey: 'order-1' })).toMatchObject(text('paid'));
    await close();
    const at = await serve({ principal: (_auth, request) => request.header('x-user') }, {}, server);
    const meta = { [META_IDEMPOTENCY_KEY]: 'order-1' };
    const named = stateless('tools/call', { name: 'pay', arguments: {} }, { meta, headers: { 'x-user': 'ada' } });
    expect((await (await send(at, named)).json()).error).toBeUndefined();
  });

  test('costs its own address room, and leaves that of others', async () => {
    const { at } = await shop({ idempotency: { maxCallerBytes: 2000 } });
    const answers = [];
    for (let index = 0; index < 6; index += 1) answers.push(await pay(at, crypto.randomUUID(), {}, 'flood'));
    expect(answers.some(({ error }) => error?.code === 429)).toBe(true);
    expect((await pay(at, crypto.randomUUID(), {}, 'home')).error).toBeUndefined();
  });
});
