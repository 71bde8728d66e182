import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { McpServer, type McpServerOptions } from '../../src/server/index.ts';
import { cryptography } from '../../src/server/asking/seals/cryptography.ts';
import { createSealer } from '../../src/server/asking/seals/sealer.ts';
import * as webCryptography from '../../src/server/asking/seals/web-crypto.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { proves } from '../requirements/proves.ts';
import { auth } from '../server/wire.ts';
import { accepting, ask, exchange, requireAsks, said, serverOf, stateless, textIn, type Handler } from './linked.ts';

const KEY = 'k'.repeat(32);
const OTHER = 'o'.repeat(32);
const handler: Handler = async (ctx) => said(await ask(ctx, 'm', 'q'));
const server = (options: NonNullable<McpServerOptions['asking']> = {}, more: McpServerOptions = {}): McpServer =>
  serverOf(handler, { asking: { keys: [KEY], ...options }, ...more });
const answers = { q: { action: 'accept', content: { value: 'V' } } };
const REFUSED = { code: -32602, message: expect.stringContaining('The requestState is refused') as string };

async function stateOf(from: McpServer, call: Parameters<typeof exchange>[1] = {}): Promise<string> {
  const { state } = requireAsks(await exchange(from, call));
  if (state === undefined) throw new Error('There is no state.');
  return state;
}

proves('M-MRTR-007, M-MRTR-008, M-MRTR-009').describe('a state is refused that', () => {
  const refused = (at: McpServer, call: Parameters<typeof exchange>[1]): Promise<void> =>
    expect(exchange(at, { answers, ...call })).rejects.toMatchObject(REFUSED);

  it('was altered, anywhere', async () => {
    const state = await stateOf(server());
    const at = server();
    for (let i = 0; i < state.length; i += Math.ceil(state.length / 40)) {
      await refused(at, { state: state.slice(0, i) + (state[i] === 'A' ? 'B' : 'A') + state.slice(i + 1) });
    }
  });

  it('was truncated or lengthened, down to nothing', async () => {
    const state = await stateOf(server());
    for (const cut of [0, 1, 2, 5, 12, 14, 20, 30, 40, state.length - 1])
      await refused(server(), { state: state.slice(0, cut) });
    for (const more of [`${state}A`, `${state}.x`, ` ${state}`, state.repeat(2)])
      await refused(server(), { state: more });
    const head = state.split('.').slice(0, 3).join('.');
    for (const short of ['', 'AAAA', 'AAAAAAAAAAAAAAAA', 'A'.repeat(36)])
      await refused(server(), { state: `${head}.${short}` });
  });

  it('was forged or is not ours at all', async () => {
    for (const state of ['', 'c1', 'c1...', '{}', btoa('{"c":"x"}'), 'eyJhbGciOiJub25lIn0.e30.', 'x'.repeat(3_000_000)])
      await refused(server(), { state });
    const forged = await createSealer([OTHER], () => Date.now()).seal(
      { c: 'c', r: 'r', n: 0, x: Date.now() + 1e6, t: '', j: {}, p: {} },
      'anything',
    );
    await refused(server(), { state: forged });
  });

  it('names an older format or another key', async () => {
    const [, id, day, text] = (await stateOf(server())).split('.');
    for (const version of ['c0', 'c2', 'C1', ''])
      await refused(server(), { state: [version, id, day, text].join('.') });
    await refused(server(), { state: ['c1', '00000000', day, text].join('.') });
    await refused(server(), { state: ['c1', id, 'zzzz', text].join('.') });
  });

  it('was sealed with another key', async () => {
    await refused(server({ keys: [OTHER] }), { state: await stateOf(server()) });
    // Without keys every process, and every server object, has its own.
    const own = serverOf(handler);
    await refused(serverOf(handler), { state: await stateOf(own) });
    expect(textIn(await exchange(own, { state: await stateOf(own), answers }))).toBe('V');
  });

  proves('M-MRTR-011, M-MRTR-027').it('has expired', async () => {
    const clock = new ManualClock(1e12);
    const at = server({ ttlMs: 1000 }, { clock });
    const state = await stateOf(at);
    await clock.advance(1000);
    expect(textIn(await exchange(at, { state, answers }))).toBe('V');
    await clock.advance(1);
    await expect(exchange(at, { state, answers })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('expired') as string,
    });
  });

  proves('M-MRTR-010, M-ELI-019, M-ELI-025').it(
    'belongs to another caller, be it another program or another user of the same',
    async () => {
      const user = (sub: string): ReturnType<typeof auth> => ({ ...auth('app'), extra: { sub } });
      const state = await stateOf(server(), { authInfo: user('ann') });
      await refused(server(), { state, authInfo: user('bob') });
      await refused(server(), { state, authInfo: auth('app') });
      await refused(server(), { state, authInfo: auth('other') });
      await refused(server(), { state });
      // A new token of the same user is still the same user.
      expect(textIn(await exchange(server(), { state, answers, authInfo: { ...user('ann'), token: 'renewed' } }))).toBe(
        'V',
      );
    },
  );

  proves('M-MRTR-012').it('belongs to other params, another tool or another method', async () => {
    const at = (): McpServer => {
      const made = server();
      made.registerTool('u', { inputSchema: z.object({ x: z.number() }) }, (_args, ctx) => handler(ctx) as never);
      made.registerPrompt('t', {}, async (ctx) => ({
        messages: [{ role: 'user', content: { type: 'text', text: await ask(ctx, 'm', 'q') } }],
      }));
      return made;
    };
    const state = await stateOf(at());
    await refused(at(), { state, params: { name: 't', arguments: { x: 2 } } });
    await refused(at(), { state, params: { name: 't', arguments: {} } });
    await refused(at(), { state, params: { name: 'u', arguments: { x: 1 } } });
    await refused(at(), { state, method: 'prompts/get', params: { name: 't', arguments: { x: '1' } } });
    await refused(at(), { state, method: 'prompts/get', params: { name: 't' } });
  });

  it('was made for an older definition of the tool', async () => {
    const changed = new McpServer({ name: 's', version: '1' }, { asking: { keys: [KEY] } });
    changed.registerTool(
      't',
      { inputSchema: z.object({ x: z.number().optional(), y: z.string().optional() }) },
      (_args, ctx) => handler(ctx) as never,
    );
    await expect(exchange(changed, { state: await stateOf(server()), answers })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('has changed since') as string,
    });
  });

  it('names a place in the store where there is nothing', async () => {
    const big: Handler = async (ctx) =>
      said((await ctx.step('big', () => 'x'.repeat(50_000))).length + (await ask(ctx, 'm', 'q')));
    const make = (): McpServer => serverOf(big, { asking: { keys: [KEY], store: memoryStore() } });
    await refused(make(), { state: await stateOf(make()) });
  });
});

describe('a state', () => {
  it('opens although the client wrote the params in another order and a new envelope', async () => {
    const at = serverOf(handler, { asking: { keys: [KEY] } });
    const params = (args: object): object => ({ name: 't', arguments: args });
    const state = await stateOf(at, { params: params({ x: 1, y: { a: 1, b: [2] } }) as never });
    expect(
      textIn(await exchange(at, { state, answers, params: { arguments: { y: { b: [2], a: 1 }, x: 1 }, name: 't' } })),
    ).toBe('V');
  });

  it('shows nothing of what it holds', async () => {
    const at = serverOf(async (ctx) => (await ctx.step('quote', () => 'hunter2'), handler(ctx)), {
      asking: { keys: [KEY] },
    });
    const state = await stateOf(at);
    const [, , , text = ''] = state.split('.');
    expect(atob(text.replaceAll('-', '+').replaceAll('_', '/'))).not.toContain('hunter2');
    expect(state.length).toBeLessThan(600);
    expect(await stateOf(at)).not.toBe(state);
  });

  it('opens with any key of the ring, so that keys can be replaced', async () => {
    const before = await stateOf(server({ keys: [KEY] }));
    expect(textIn(await exchange(server({ keys: [OTHER, KEY] }), { state: before, answers }))).toBe('V');
    const after = await stateOf(server({ keys: [OTHER, KEY] }));
    expect(textIn(await exchange(server({ keys: [OTHER] }), { state: after, answers }))).toBe('V');
    await expect(exchange(server({ keys: [KEY] }), { state: after, answers })).rejects.toMatchObject(REFUSED);
  });

  it('opens on the next day', async () => {
    const clock = new ManualClock(1e12 - (1e12 % 86_400_000) + 86_399_000);
    const at = server({}, { clock });
    const state = await stateOf(at);
    await clock.advance(5000);
    expect(textIn(await exchange(at, { state, answers }))).toBe('V');
    expect((await stateOf(at)).split('.')[2]).not.toBe(state.split('.')[2]);
  });

  proves('M-MRTR-013').it('comes back only once where that is wanted', async () => {
    const at = server({ store: memoryStore(), singleUse: true });
    const state = await stateOf(at);
    const tries = await Promise.allSettled([
      exchange(at, { state, answers }),
      exchange(at, { state, answers }),
      exchange(at, { state, answers }),
    ]);
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(exchange(at, { state, answers })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('used before') as string,
    });
    expect(() => server({ singleUse: true })).toThrow('asking.singleUse needs asking.store');
  });

  it('that would be large is kept in the store, under a sealed name', async () => {
    const store = memoryStore();
    const big: Handler = async (ctx) =>
      said((await ctx.step('big', () => 'x'.repeat(50_000))).length + (await ask(ctx, 'm', 'q')));
    const make = (options: object): McpServer => serverOf(big, { asking: { keys: [KEY], ...options } });
    const state = await stateOf(make({ store }));
    expect(state.length).toBeLessThan(300);
    // What lies in the store is sealed as well.
    expect(JSON.stringify(await Promise.all((await store.keys('state:')).map((key) => store.get(key))))).not.toContain(
      'xxxx',
    );
    expect(textIn(await exchange(make({ store }), { state, answers }))).toBe('50000V');
    await expect(exchange(make({}))).rejects.toThrow(/larger than 16384 bytes.*asking: \{ store \}/);
    expect((await stateOf(make({ maxStateBytes: 200_000 }))).length).toBeGreaterThan(50_000);
  });
});

describe('the sealer', () => {
  const now = (): number => 1e12;

  it('opens with Node or web crypto what the other sealed', async () => {
    expect(cryptography()).not.toBe(webCryptography);
    expect(cryptography().hash('héllo')).toBe(webCryptography.hash('héllo'));
    const node = createSealer([KEY], now, cryptography());
    const web = createSealer([KEY], now, webCryptography);
    const value = { text: 'héllo ☃', list: [1, null, { a: true }], long: 'y'.repeat(20_000) };
    for (const [from, to] of [
      [node, web],
      [web, node],
      [web, web],
      [node, node],
    ] as const) {
      expect(await to.open(await from.seal(value, 'bound'), 'bound')).toEqual(value);
      const token = await from.seal(value, 'bound');
      await expect((async () => to.open(token, 'other'))()).rejects.toThrow('refused');
      await expect((async () => to.open(token.slice(0, 30), 'bound'))()).rejects.toThrow('refused');
    }
  });

  it('takes a text in one spelling only', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (const text of ['', 'x', 'xx', 'xxx']) {
      const sealer = createSealer([KEY], now);
      const token = await sealer.seal(text, 'b');
      const others = alphabet
        .split('')
        .map((last) => token.slice(0, -1) + last)
        .filter((other) => other !== token);
      for (const other of [...others, `${token}=`, `${token} `, token.replace('.', '. ')])
        await expect((async () => sealer.open(other, 'b'))(), other).rejects.toThrow('refused');
      expect(await sealer.open(token, 'b')).toBe(text);
    }
  });

  it('wants keys that are keys', () => {
    expect(() => createSealer([], now)).toThrow('keys must be a list of at least one secret');
    expect(() => createSealer(['short'], now)).toThrow('keys[0] has 5 bytes, a secret has at least 32');
    expect(() => createSealer([KEY, new Uint8Array(31)], now)).toThrow('keys[1] has 31 bytes');
  });

  it('never seals the same text twice', async () => {
    const sealer = createSealer([KEY], now);
    const tokens = await Promise.all(Array.from({ length: 200 }, async () => sealer.seal(1, 'b')));
    expect(new Set(tokens).size).toBe(200);
  });
});

it('the raw exchange of these tests is one of a stateless client', async () => {
  const at = server();
  const first = await exchange(at);
  expect(stateless.family).toBe('per-request');
  expect(textIn(await exchange(at, { state: requireAsks(first).state, answers: accepting(first) }))).toBe('<m>');
});
