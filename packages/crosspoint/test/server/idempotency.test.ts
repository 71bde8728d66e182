import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import {
  IDEMPOTENCY_CAPABILITY,
  META_FIRST_SENT_AGO,
  META_IDEMPOTENCY_KEY,
  isValidMetaKey,
} from '../../src/protocol/meta.ts';
import { McpServer, ProtocolError, ToolError, text, type McpServerOptions } from '../../src/server/index.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { StoreUnavailableError } from '../../src/stores/store-unavailable-error.ts';
import type { Store } from '../../src/stores/store.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { Bench, declared, ended, until } from '../tasks/bench.ts';
import { Wire, auth, everyRevision, gate, newestHandshake, quiet, stateless, type SpeakOptions } from './wire.ts';
import { revisions } from '../../src/revisions/index.ts';
import { isReservedMetaKey } from '../../src/revisions/reserved-meta-keys.ts';

const info = { name: 'once', version: '1.0' };
const families = [
  [newestHandshake.family, newestHandshake],
  [stateless.family, stateless],
] as const;

/** The params of a call with a key. */
function keyed(name: string, key: unknown, args: JsonObject = {}, more: JsonObject = {}): JsonObject {
  return { name, arguments: args, _meta: { [META_IDEMPOTENCY_KEY]: key, ...more } };
}

/** A server with one tool that counts how often it runs. */
function counting(options: McpServerOptions = {}): { server: McpServer; run: ReturnType<typeof vi.fn> } {
  const server = new McpServer(info, options);
  const run = vi.fn(({ n }: { n?: number | undefined }) => text(`run ${run.mock.calls.length} with ${n ?? 'nothing'}`));
  server.registerTool('act', { inputSchema: { n: z.number().optional() } }, run);
  server.registerTool('act-too', { inputSchema: { n: z.number().optional() } }, run);
  return { server, run };
}

async function call(wire: Wire, params: JsonObject, revision = stateless, options: SpeakOptions = {}): Promise<string> {
  return (await wire.result('tools/call', params, revision, options)).content[0].text as string;
}

async function reason(
  wire: Wire,
  params: JsonObject,
  revision = stateless,
  options: SpeakOptions = {},
): Promise<string> {
  const { code, data } = await wire.error('tools/call', params, revision, options);
  expect(code).toBe(409);
  return data.reason as string;
}

/** The same as in another process: a store of its own on what both know. */
const sharing = (clock: ManualClock): Store => memoryStore({ now: () => clock.now(), shared: true });

describe.each(everyRevision)('a call with a key, %s', (_id, revision) => {
  test('gets the first outcome every time', async () => {
    const { server, run } = counting();
    const wire = await Wire.open(server);
    for (let again = 0; again < 3; again += 1)
      expect(await call(wire, keyed('act', 'k', { n: 1 }), revision)).toBe('run 1 with 1');
    expect(await call(wire, keyed('act', 'other', { n: 1 }), revision)).toBe('run 2 with 1');
    expect(await call(wire, { name: 'act' }, revision)).toBe('run 3 with nothing');
    expect(run).toHaveBeenCalledTimes(3);
  });

  test('belongs to its tool and its caller, and to nobody else', async () => {
    const { server } = counting();
    const wire = await Wire.open(server);
    const ann = { authInfo: auth('ann') };
    const bob = { authInfo: auth('bob') };
    expect(await call(wire, keyed('act', 'k'), revision, ann)).toBe('run 1 with nothing');
    expect(await call(wire, keyed('act', 'k'), revision, bob)).toBe('run 2 with nothing');
    expect(await call(wire, keyed('act-too', 'k'), revision, ann)).toBe('run 3 with nothing');
    expect(await call(wire, keyed('act', 'k'), revision)).toBe('run 4 with nothing');
    expect(await call(wire, keyed('act', 'k'), revision, ann)).toBe('run 1 with nothing');
  });

  test('is refused with other arguments; the order of members makes none', async () => {
    const server = new McpServer(info);
    server.registerTool('act', { inputSchema: { a: z.number(), b: z.number() } }, () => text('done'));
    const wire = await Wire.open(server);
    await call(wire, keyed('act', 'k', { a: 1, b: 2 }), revision);
    await call(wire, keyed('act', 'k', { b: 2, a: 1 }), revision);
    expect(await reason(wire, keyed('act', 'k', { a: 1, b: 3 }), revision)).toBe('other-arguments');
  });

  test('has its failures remembered as they were told', async () => {
    const server = new McpServer(info);
    let runs = 0;
    server.registerTool('tells', {}, () => {
      throw new ToolError(`failure ${(runs += 1)}`);
    });
    server.registerTool('refuses', {}, () => {
      throw new ProtocolError(4711, `refusal ${(runs += 1)}`, { runs });
    });
    const wire = await Wire.open(server);
    const told = await wire.result('tools/call', keyed('tells', 'k'), revision);
    expect(told).toMatchObject({ isError: true, content: [{ text: 'failure 1' }] });
    expect(await wire.result('tools/call', keyed('tells', 'k'), revision)).toEqual(told);
    const refused = await wire.error('tools/call', keyed('refuses', 'k'), revision);
    expect(refused).toEqual({ code: 4711, message: 'refusal 2', data: { runs: 2 } });
    expect(await wire.error('tools/call', keyed('refuses', 'k'), revision)).toEqual(refused);
    expect(runs).toBe(2);
  });

  test('is told what is no key', async () => {
    const { server, run } = counting();
    const wire = await Wire.open(server);
    for (const key of ['', 7, null, {}, 'x'.repeat(256)])
      expect((await wire.error('tools/call', keyed('act', key), revision)).code).toBe(-32602);
    expect(run).not.toHaveBeenCalled();
  });
});

describe.each(families)('while the first runs, %s', (_family, revision) => {
  test('a repeat waits, on any connection, for as long as it is allowed to', async () => {
    const clock = new ManualClock();
    const server = new McpServer(info, { clock, idempotency: { waitMs: 1000 } });
    const done = gate<string>();
    const run = vi.fn(async () => text(await done.promise));
    server.registerTool('slow', {}, run);
    const [one, two] = [await Wire.open(server), await Wire.open(server)];
    const first = call(one, keyed('slow', 'k'), revision);
    await quiet();
    const patient = reason(two, keyed('slow', 'k'), revision);
    await quiet();
    await clock.advance(1000);
    expect(await patient).toBe('running');
    const second = call(two, keyed('slow', 'k'), revision);
    await quiet();
    done.open('at last');
    expect(await Promise.all([first, second])).toEqual(['at last', 'at last']);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('it may take longer than outcomes are remembered', async () => {
    const clock = new ManualClock();
    const server = new McpServer(info, { clock, idempotency: { ttlMs: 1000, waitMs: 1_000_000 } });
    const done = gate<string>();
    const run = vi.fn(async () => text(await done.promise));
    server.registerTool('slow', {}, run);
    const wire = await Wire.open(server);
    const first = call(wire, keyed('slow', 'k'), revision);
    await quiet();
    await clock.advance(10_000);
    const second = call(wire, keyed('slow', 'k'), revision);
    await quiet();
    done.open('at last');
    expect(await Promise.all([first, second])).toEqual(['at last', 'at last']);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('its outcome is kept though its client is gone, and forgotten when it failed for that', async () => {
    const server = new McpServer(info);
    let runs = 0;
    server.registerTool('goes-on', {}, async ({ signal }) => {
      runs += 1;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return text(`run ${runs}`);
    });
    server.registerTool('gives-up', {}, async ({ signal }) => {
      runs += 1;
      if (runs === 2) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return text(`run ${runs}`);
    });
    for (const [name, outcome] of [
      ['goes-on', 'run 1'],
      ['gives-up', 'run 3'],
    ] as const) {
      const lost = await Wire.open(server);
      if (revision.family === 'handshake') await lost.handshake(revision);
      lost.start('tools/call', keyed(name, 'k'), revision);
      await quiet();
      await lost.close();
      await quiet();
      expect(await call(await Wire.open(server), keyed(name, 'k'), revision)).toBe(outcome);
    }
  });
});

describe('rounds of questions', () => {
  test('of a stateless call are remembered one by one, and the end for all of them', async () => {
    const server = new McpServer(info, { asking: { keys: ['0123456789abcdef0123456789abcdef'] } });
    let ends = 0;
    server.registerTool('ask', {}, async (ctx) => {
      const { action } = await ctx.elicit({ message: 'Sure?', schema: z.object({ sure: z.boolean() }) });
      return text(`${action} ${(ends += 1)}`);
    });
    const wire = await Wire.open(server, { elicitation: { form: {} } });
    const asked = await wire.result('tools/call', keyed('ask', 'k'), stateless);
    expect(asked.resultType).toBe('input_required');
    expect(await wire.result('tools/call', keyed('ask', 'k'), stateless)).toEqual(asked);
    const [question] = Object.keys(asked.inputRequests);
    const answered = {
      ...keyed('ask', 'k'),
      requestState: asked.requestState,
      inputResponses: { [question!]: { action: 'accept', content: { sure: true } } },
    };
    expect(await call(wire, answered)).toBe('accept 1');
    expect(await call(wire, answered)).toBe('accept 1');
    expect(await call(wire, keyed('ask', 'k'))).toBe('accept 1');
    expect(ends).toBe(1);
  });

  test('whose state cannot be opened leave what was remembered as it was', async () => {
    const server = new McpServer(info);
    server.registerTool('ask', {}, async (ctx) =>
      text((await ctx.elicit({ message: 'Sure?', schema: z.object({}) })).action),
    );
    const wire = await Wire.open(server, { elicitation: { form: {} } });
    const asked = await wire.result('tools/call', keyed('ask', 'k'), stateless);
    await wire.error('tools/call', { ...keyed('ask', 'k'), requestState: 'made up', inputResponses: {} }, stateless);
    expect(await wire.result('tools/call', keyed('ask', 'k'), stateless)).toEqual(asked);
  });

  test('of a live call are part of it', async () => {
    const server = new McpServer(info);
    let runs = 0;
    server.registerTool('ask', {}, async (ctx) => {
      const { action } = await ctx.elicit({ message: 'Sure?', schema: z.object({}) });
      return text(`${action} ${(runs += 1)}`);
    });
    const wire = await Wire.open(server, { elicitation: { form: {} } });
    wire.onrequest = () => ({ action: 'decline' });
    expect(await call(wire, keyed('ask', 'k'), newestHandshake)).toBe('decline 1');
    expect(await call(wire, keyed('ask', 'k'), newestHandshake)).toBe('decline 1');
    expect(wire.asked).toHaveLength(1);
  });
});

describe('a call that becomes a task', () => {
  test.each(families)('becomes one, however often it is sent, %s', async (_family, revision) => {
    const bench = new Bench();
    const wire = await Wire.open(bench.server, declared);
    const begin = async (): Promise<any> => {
      const params = { ...keyed('slow', 'k', { key: 'a' }), ...(revision === newestHandshake && { task: {} }) };
      const result = await wire.result('tools/call', params, revision);
      return result.task ?? result;
    };
    const first = await begin();
    expect(first.status).toBe('working');
    expect((await begin()).taskId).toBe(first.taskId);
    bench.gate('a').open('done');
    await until(wire, first.taskId, ended, revision);
    expect((await begin()).taskId).toBe(first.taskId);
    expect(bench.did).toEqual(['began:a', 'ended:a']);
  });
});

describe('what is remembered', () => {
  test('ends with its time', async () => {
    const clock = new ManualClock();
    const { server } = counting({ clock, idempotency: { ttlMs: 1000 } });
    const wire = await Wire.open(server);
    await call(wire, keyed('act', 'k'));
    await clock.advance(999);
    expect(await call(wire, keyed('act', 'k'))).toBe('run 1 with nothing');
    await clock.advance(2);
    expect(await call(wire, keyed('act', 'k'))).toBe('run 2 with nothing');
  });

  test('is not thought to be all: a repeat from before its time is refused, one that never came before is not', async () => {
    const clock = new ManualClock(50_000);
    const { server, run } = counting({ clock, idempotency: { ttlMs: 20_000 } });
    const wire = await Wire.open(server);
    await clock.advance(5000);
    const repeated = (ago: number): JsonObject => keyed('act', `k${ago}`, {}, { [META_FIRST_SENT_AGO]: ago });
    expect(await reason(wire, repeated(5001))).toBe('forgotten');
    expect(run).not.toHaveBeenCalled();
    expect(await call(wire, repeated(5000))).toBe('run 1 with nothing');
    await clock.advance(100_000);
    expect(await reason(wire, repeated(20_001))).toBe('forgotten');
    expect(await call(wire, repeated(20_000))).toBe('run 2 with nothing');
  });

  test('is bounded: of a long outcome only that it was, and no more than a share for each caller', async () => {
    const clock = new ManualClock();
    const server = new McpServer(info, { clock, idempotency: { maxOutcomeBytes: 1000, maxCallerBytes: 5000 } });
    const run = vi.fn(({ size }: { size: number }) => text('x'.repeat(size)));
    server.registerTool('write', { inputSchema: { size: z.number() } }, run);
    const wire = await Wire.open(server);
    const write = (key: string, size: number): JsonObject => keyed('write', key, { size });
    await call(wire, write('long', 2000));
    await quiet();
    expect(await reason(wire, write('long', 2000))).toBe('not-kept');
    expect(run).toHaveBeenCalledTimes(1);
    let kept = 0;
    let refused: { code: number; data?: any } | undefined;
    while (kept < 100 && refused === undefined) {
      const frame = await wire.request('tools/call', write(`k${kept}`, 800), stateless);
      refused = frame.error;
      kept += 1;
    }
    expect(refused).toMatchObject({ code: 429 });
    expect(kept).toBeLessThan(10);
    expect(await call(wire, write('k0', 800))).toHaveLength(800);
    await call(wire, { name: 'write', arguments: { size: 1 } });
    await call(wire, write('own', 1), stateless, { authInfo: auth('ann') });
    await clock.advance(refused?.data.retryAfterMs);
    await call(wire, write('late', 1));
  });

  test('is nothing with idempotency: false', async () => {
    const { server } = counting({ idempotency: false });
    const wire = await Wire.open(server);
    await call(wire, keyed('act', 'k'));
    expect(await call(wire, keyed('act', 'k'))).toBe('run 2 with nothing');
  });

  test.each(everyRevision)('is promised only by a server that was told to, %s', async (_id, revision) => {
    const declared = async (options: McpServerOptions): Promise<any> =>
      (await Wire.open(counting(options).server)).declared(revision);
    expect((await declared({})).experimental).toBeUndefined();
    expect((await declared({ idempotency: {} })).experimental).toEqual({ [IDEMPOTENCY_CAPABILITY]: {} });
  });
});

describe('a store that cannot be reached', () => {
  /** A store whose methods fail while `isDown` says so. */
  function shaky(isDown: (method: string) => boolean): Store {
    const store = memoryStore({ shared: true });
    return new Proxy(store, {
      get: (target, name: keyof Store) => {
        const member = target[name];
        if (typeof member !== 'function') return member;
        return (...args: never[]) =>
          isDown(name)
            ? Promise.reject(new StoreUnavailableError('down'))
            : (member as (...all: never[]) => unknown).apply(target, args);
      },
    });
  }

  test('has the call refused before it is carried out, and others served', async () => {
    const { server, run } = counting({ store: shaky(() => true) });
    const wire = await Wire.open(server);
    const refused = await wire.error('tools/call', keyed('act', 'k'), stateless);
    expect(refused.data).toMatchObject({ reason: 'store-unavailable' });
    expect(run).not.toHaveBeenCalled();
    expect(await call(wire, { name: 'act' })).toBe('run 1 with nothing');
  });

  test('is told the outcome when it can be reached again, and the caller is answered meanwhile', async () => {
    const clock = new ManualClock();
    let isDown = false;
    const store = shaky((method) => isDown && method === 'put');
    const server = new McpServer(info, { clock, store });
    const run = vi.fn(() => {
      isDown = true;
      return text(`run ${run.mock.calls.length}`);
    });
    server.registerTool('act', {}, run);
    const wire = await Wire.open(server);
    expect(await call(wire, keyed('act', 'k'))).toBe('run 1');
    await clock.advance(3000);
    isDown = false;
    await clock.advance(1000);
    expect(await call(wire, keyed('act', 'k'))).toBe('run 1');
    expect(run).toHaveBeenCalledTimes(1);
  });
});

describe('processes that share a store', () => {
  test('carry a call out once, wherever it is repeated', async () => {
    const clock = new ManualClock();
    const store = sharing(clock);
    const done = gate<string>();
    const run = vi.fn(async () => text(await done.promise));
    const nodes = await Promise.all(
      [1, 2, 3].map(async () => {
        const server = new McpServer(info, { store });
        server.registerTool('act', {}, run);
        return Wire.open(server);
      }),
    );
    const calls = nodes.map((wire) => call(wire, keyed('act', 'k')));
    await vi.waitFor(() => expect(run).toHaveBeenCalled(), { timeout: 10_000 });
    done.open('once');
    expect(await Promise.all(calls)).toEqual(['once', 'once', 'once']);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('do not carry out again what was lost with one of them', async () => {
    const clock = new ManualClock();
    const store = sharing(clock);
    const { server, run } = counting({ store, clock });
    // What a process leaves behind that is killed: a call that runs, and a lease that nobody renews.
    const died = new McpServer(info, { store, clock });
    died.registerTool('act', { inputSchema: { n: z.number().optional() } }, () => new Promise<never>(() => {}));
    const lost = await Wire.open(died);
    lost.start('tools/call', keyed('act', 'k'), stateless);
    await quiet();
    const [lease] = (await store.keys('idempotency:')).filter((key) => key.endsWith(':lease'));
    expect(lease).toBeDefined();
    await store.delete(lease!);
    const wire = await Wire.open(server);
    expect(await reason(wire, keyed('act', 'k'))).toBe('unknown');
    expect(run).not.toHaveBeenCalled();
  });

  test('leave nothing of their leases behind', async () => {
    const clock = new ManualClock();
    const store = sharing(clock);
    const { server } = counting({ store, clock });
    await call(await Wire.open(server), keyed('act', 'k'));
    await vi.waitFor(async () => expect(await store.keys('idempotency:')).toHaveLength(1), { timeout: 10_000 });
  });
});

test('the names are ours to use in every revision', () => {
  for (const key of [META_IDEMPOTENCY_KEY, META_FIRST_SENT_AGO, IDEMPOTENCY_CAPABILITY]) {
    expect(isValidMetaKey(key)).toBe(true);
    for (const revision of revisions) expect(isReservedMetaKey(revision, key)).toBe(false);
  }
});
