import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { TASKS_EXTENSION_ID } from '../../src/extensions/tasks/tasks-extension.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { META_IDEMPOTENCY_KEY } from '../../src/protocol/meta.ts';
import type { Outcome } from '../../src/protocol/outcome.ts';
import {
  McpServer,
  ProtocolError,
  acceptedContent,
  inputRequired,
  text,
  type McpServerOptions,
  type ServerContext,
} from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { BOTH, META, closeAll, send, serve as overHttp, stateless as request, type Sent } from '../http/serving.ts';
import { gate, quiet } from '../server/wire.ts';
import { until } from '../until.ts';
import {
  Value,
  Wire,
  accepting,
  ask,
  exchange,
  newestHandshake,
  requireAsks,
  said,
  serverOf,
  stateless,
  textIn,
  type Handler,
  type RawCall,
} from './linked.ts';

type Retry = Pick<RawCall, 'state' | 'answers'>;

/** The settings in which a state acts once; `undefined`: what every server has that says nothing. */
const SETTINGS: readonly (readonly [string, () => NonNullable<McpServerOptions['asking']>])[] = [
  ['nothing configured', () => ({})],
  ['a store', () => ({ keys: ['k'.repeat(32)], store: memoryStore() })],
];

/** Brings the outcome of a round back, with every question accepted. */
const back = (outcome: Outcome): Retry => ({ state: requireAsks(outcome).state, answers: accepting(outcome) });

async function outcomeOf(server: McpServer, call: RawCall): Promise<unknown> {
  return exchange(server, call).catch(({ code, message, data }: Error & { code: unknown; data: unknown }) => ({
    code,
    message,
    data,
  }));
}

/** Sends a retry once, six times at once, and once more, and expects one outcome for all. */
async function sentOften(server: McpServer, retry: RawCall): Promise<unknown> {
  const together = await Promise.all(Array.from({ length: 6 }, () => outcomeOf(server, retry)));
  const all = [...together, await outcomeOf(server, retry)];
  expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(1);
  return all[0];
}

/** What a test counts. */
function counter(): { took: string[]; step: (ctx: ServerContext, name: string) => Promise<string> } {
  const took: string[] = [];
  return {
    took,
    step: (ctx, name) =>
      ctx.step(name, async ({ idempotencyKey }) => {
        took.push(name);
        await new Promise((resolve) => setTimeout(resolve, 2));
        return idempotencyKey;
      }),
  };
}

describe.each(SETTINGS)('a state that is sent often, with %s', (_name, setting) => {
  const serve = (handler: Handler, more: McpServerOptions = {}): McpServer =>
    serverOf(handler, { asking: setting(), ...more });

  it('acts once in every round, and every copy gets what the first got', async () => {
    const { took, step } = counter();
    const at = serve(async (ctx) => {
      await step(ctx, 'before');
      const a = await ask(ctx, 'a');
      const key = await step(ctx, 'between');
      const b = await ask(ctx, 'b');
      await step(ctx, 'after');
      return said(`${a} ${b} ${key}`);
    });
    const first = await exchange(at);
    const second = (await sentOften(at, back(first))) as Outcome;
    expect(requireAsks(second).state).toBeDefined();
    const last = (await sentOften(at, back(second))) as Outcome;
    expect(textIn(last)).toMatch(/^<a> <b> [0-9a-f-]{36}:between$/);
    expect(took).toEqual(['before', 'between', 'after']);
    // A round that is past acts no more.
    await expect(exchange(at, back(first))).rejects.toThrow('used before');
    expect(took).toEqual(['before', 'between', 'after']);
  });

  it.each([
    ['a failure', () => Promise.reject(new ProtocolError(-31999, 'Out of paper', { tray: 2 }))],
    ['a result that says it failed', () => ({ ...text('no'), isError: true })],
    ['an error of the program', () => Promise.reject(new Error('boom'))],
    ['another way than before', (ctx: ServerContext) => ctx.elicit({ message: 'other', schema: Value, key: 'k' })],
  ] as const)('acts once when it comes to %s', async (_what, end) => {
    const { took, step } = counter();
    const at = serve(async (ctx) => {
      if (took.length === 0 || !String(end).includes('other'))
        await ctx.elicit({ message: 'm', schema: Value, key: 'k' });
      await step(ctx, 'act');
      return end(ctx);
    });
    await sentOften(at, back(await exchange(at)));
    expect(took).toEqual(['act']);
  });

  it('cannot be answered otherwise once it was answered, in either direction', async () => {
    const { took, step } = counter();
    const at = serve(async (ctx) => {
      const answer = await ctx.elicit({ message: 'Pay?', schema: Value, key: 'pay' });
      if (answer.action === 'accept') await step(ctx, 'pay');
      return said(answer.action);
    });
    const yes = { pay: { action: 'accept', content: { value: 'v' } } };
    const no = { pay: { action: 'decline' } };
    const declined = { state: requireAsks(await exchange(at)).state, answers: no };
    expect(textIn(await exchange(at, declined))).toBe('decline');
    await expect(exchange(at, { ...declined, answers: yes })).rejects.toThrow('used before, with other answers');
    expect(textIn(await exchange(at, declined))).toBe('decline');
    expect(took).toEqual([]);
    const accepted = { state: requireAsks(await exchange(at)).state, answers: yes };
    const race = await Promise.all([outcomeOf(at, accepted), outcomeOf(at, { ...accepted, answers: no })]);
    expect(JSON.stringify(race)).toContain('with other answers');
    // What nobody asked is no answer, and the order of members means nothing.
    const noisy = { ...accepted, answers: { more: {}, pay: { content: { value: 'v' }, action: 'accept' } } };
    expect(textIn(await exchange(at, noisy))).toBe('accept');
    expect(took).toEqual(['pay']);
  });

  it('acts once in the explicit style', async () => {
    const { took, step } = counter();
    const at = serve(async (ctx) => {
      if (acceptedContent(ctx.inputResponses, 'ok') === undefined)
        return inputRequired({
          inputRequests: { ok: inputRequired.elicit({ message: 'ok?', requestedSchema: Value }) },
          requestState: 'asked',
        });
      await step(ctx, 'act');
      return said(ctx.requestState);
    });
    expect(textIn((await sentOften(at, back(await exchange(at)))) as Outcome)).toBe('asked');
    expect(took).toEqual(['act']);
  });

  it('acts once for a prompt', async () => {
    const { took, step } = counter();
    const at = serve(() => said(''));
    at.registerPrompt('p', {}, async (ctx) => {
      const value = await ask(ctx, 'm');
      await step(ctx, 'act');
      return { messages: [{ role: 'user', content: { type: 'text', text: value } }] };
    });
    const call = { method: 'prompts/get', params: { name: 'p' } };
    await sentOften(at, { ...call, ...back(await exchange(at, call)) });
    expect(took).toEqual(['act']);
  });

  it('gets the value of a step as it was, whatever the handler has done to it', async () => {
    const stock: number[] = [];
    const at = serve(async (ctx) => {
      const left = await ctx.step('stock', () => ({ count: 3 }));
      stock.push(left.count);
      left.count = 0;
      await ask(ctx, 'a');
      const more = await ctx.step('more', () => ({ count: 2 }));
      stock.push(more.count);
      more.count = 0;
      await ask(ctx, 'b');
      return said(stock.join());
    });
    const second = (await sentOften(at, back(await exchange(at)))) as Outcome;
    expect(textIn((await sentOften(at, back(second))) as Outcome)).toBe('3,3,2,3,2');
  });

  it('begins one task', async () => {
    let begun = 0;
    const at = new McpServer({ name: 's', version: '1' }, { asking: setting() });
    at.use(tasks());
    at.registerTool('t', { task: { support: 'optional', begin: 'when-told' } }, async (ctx) => {
      await ask(ctx, 'm');
      await ctx.beginTask();
      begun += 1;
      return said('done');
    });
    const wire = await Wire.open(at, { elicitation: { form: {} }, extensions: { [TASKS_EXTENSION_ID]: {} } });
    const call = (more: JsonObject = {}): Promise<JsonObject> =>
      wire.result('tools/call', { name: 't', ...more }, stateless) as Promise<JsonObject>;
    const { requestState, inputRequests } = await call();
    const [key = ''] = Object.keys(inputRequests as JsonObject);
    const retry = { requestState, inputResponses: { [key]: { action: 'accept', content: { value: 'v' } } } };
    const copies = await Promise.all([call(retry), call(retry), call(retry)]);
    expect(new Set([...copies, await call(retry)].map((copy) => JSON.stringify(copy))).size).toBe(1);
    await until(() => begun > 0);
    expect(copies[0]).toMatchObject({ resultType: 'task' });
    expect(begun).toBe(1);
    await wire.close();
  });

  it('acts once for a call with an idempotency key, whichever copies bring the key', async () => {
    const { took, step } = counter();
    const at = serve(async (ctx) => {
      const value = await ask(ctx, 'm');
      await step(ctx, 'act');
      return said(value);
    });
    const keyed = { params: { name: 't', arguments: { x: 1 }, _meta: { [META_IDEMPOTENCY_KEY]: 'k' } } };
    const retry = back(await exchange(at, keyed));
    const ends = await Promise.all([
      exchange(at, { ...keyed, ...retry }),
      exchange(at, retry),
      exchange(at, { ...keyed, ...retry }),
    ]);
    expect(ends.map(textIn)).toEqual(['<m>', '<m>', '<m>']);
    expect(took).toEqual(['act']);
  });

  it('belongs to its caller, though another has every word of it', async () => {
    const { took, step } = counter();
    const at = serve(async (ctx) => {
      await ask(ctx, 'm');
      await step(ctx, 'act');
      return said('private');
    });
    const authInfo = { token: 't', clientId: 'ann', scopes: [] };
    const retry = back(await exchange(at, { authInfo }));
    expect(textIn(await exchange(at, { ...retry, authInfo }))).toBe('private');
    await expect(exchange(at, { ...retry, authInfo: { ...authInfo, clientId: 'bob' } })).rejects.toThrow('refused');
    expect(took).toEqual(['act']);
  });

  it('is carried out by the handler that runs, when its client goes away and sends it again', async () => {
    const { took } = counter();
    const paid = gate();
    const at = serve(async (ctx) => {
      await ask(ctx, 'm');
      await ctx.step('pay', async () => {
        took.push('pay');
        await paid.promise;
      });
      return said('paid');
    });
    const retry = back(await exchange(at));
    const wire = await Wire.open(at, { elicitation: { form: {} } });
    wire.start(
      'tools/call',
      { name: 't', arguments: { x: 1 }, requestState: retry.state, inputResponses: retry.answers },
      stateless,
    );
    await until(() => took.length === 1);
    await wire.close();
    const again = exchange(at, retry);
    paid.open();
    expect(textIn(await again)).toBe('paid');
    expect(textIn(await exchange(at, retry))).toBe('paid');
    expect(took).toEqual(['pay']);
  });

  it('is carried out once over HTTP, although its connection breaks and it is sent again on others', async () => {
    const { took } = counter();
    const paid = gate();
    const at = serve(async (ctx) => {
      await ask(ctx, 'm');
      await ctx.step('pay', async () => {
        took.push('pay');
        await paid.promise;
      });
      return said('paid');
    });
    const { port } = await overHttp({}, {}, at);
    const meta = META({ elicitation: { form: {} } });
    const post = (more: JsonObject = {}): Sent =>
      request('tools/call', { name: 't', arguments: { x: 1 }, ...more }, { meta });
    const { result } = (await (await send({ port }, post())).json()) as { result: JsonObject };
    const [key = ''] = Object.keys(result['inputRequests'] as JsonObject);
    const inputResponses = { [key]: { action: 'accept', content: { value: 'v' } } };
    const retry = post({ requestState: result['requestState'] as string, inputResponses });
    const broken = httpRequest({
      host: '127.0.0.1',
      port,
      path: '/mcp',
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        accept: BOTH,
        ...retry.headers,
      },
    });
    broken.on('error', () => {});
    broken.end(JSON.stringify(retry.body));
    await until(() => took.length === 1);
    broken.destroy();
    const copies = [send({ port }, retry), send({ port }, retry)];
    await quiet();
    paid.open();
    for (const copy of await Promise.all(copies))
      expect(await copy.json()).toMatchObject({ result: { content: [{ text: 'paid' }] } });
    expect(took).toEqual(['pay']);
    await closeAll();
  });

  it('is carried out again when the handler stopped because its client was gone, without the steps that had finished', async () => {
    const { took, step } = counter();
    const paid = gate();
    let runs = 0;
    const at = serve(async (ctx) => {
      await ask(ctx, 'm');
      await step(ctx, 'reserve');
      runs += 1;
      const paying = ctx.step('pay', async () => {
        took.push('pay');
        await paid.promise;
        return 'receipt';
      });
      const left = new Promise<never>((_resolve, reject) =>
        ctx.signal.addEventListener('abort', () => reject(new Error('nobody waits'))),
      );
      return said(await Promise.race([paying, left]));
    });
    const retry = back(await exchange(at));
    const wire = await Wire.open(at, { elicitation: { form: {} } });
    wire.start(
      'tools/call',
      { name: 't', arguments: { x: 1 }, requestState: retry.state, inputResponses: retry.answers },
      stateless,
    );
    await until(() => took.length === 2);
    await wire.close();
    const again = exchange(at, retry);
    // The payment is still under way: nobody may begin another.
    await quiet();
    expect(runs).toBe(1);
    paid.open();
    expect(textIn(await again)).toBe('receipt');
    expect(runs).toBe(2);
    expect(took).toEqual(['reserve', 'pay']);
    await expect(exchange(at, { ...retry, answers: {} })).rejects.toThrow('with other answers');
  });

  it('that waits for the first copy is let go when its client leaves', async () => {
    const paid = gate();
    let runs = 0;
    const at = serve(async (ctx) => {
      await ask(ctx, 'm');
      runs += 1;
      await paid.promise;
      return said('paid');
    });
    const retry = back(await exchange(at));
    const first = exchange(at, retry);
    await until(() => runs === 1);
    const wire = await Wire.open(at, { elicitation: { form: {} } });
    wire.start(
      'tools/call',
      { name: 't', arguments: { x: 1 }, requestState: retry.state, inputResponses: retry.answers },
      stateless,
    );
    await quiet();
    await wire.close();
    paid.open();
    expect(textIn(await first)).toBe('paid');
    expect(runs).toBe(1);
  });

  it('gets an outcome that is too long to be kept from the handler, which takes its steps from memory', async () => {
    const { took, step } = counter();
    let runs = 0;
    const at = serve(async (ctx) => {
      await ask(ctx, 'm');
      await step(ctx, 'act');
      runs += 1;
      return said('x'.repeat(300_000));
    });
    const retry = back(await exchange(at));
    await sentOften(at, retry);
    expect(runs).toBe(7);
    expect(took).toEqual(['act']);
  });

  it('is refused for good, though a middleware swallows that its step was', async () => {
    const { took, step } = counter();
    const at = serve(async (ctx) => {
      await step(ctx, 'handler');
      return said('done');
    });
    at.use(async (operation, next) => {
      const { context } = operation;
      if (operation.method !== 'tools/call' || context === undefined) return next();
      await ask(context, 'May I?');
      await step(context, 'middleware').catch(() => {});
      return next();
    });
    const asked = await exchange(at);
    const { state } = requireAsks(asked);
    await exchange(at, { state, answers: accepting(asked) });
    await expect(exchange(at, { state, answers: accepting(asked, () => 'other') })).rejects.toThrow('other answers');
    expect(took).toEqual(['middleware', 'handler']);
  });

  it('acts once when a middleware asks and takes steps', async () => {
    const { took, step } = counter();
    const at = serve(async (ctx) => {
      await step(ctx, 'handler');
      return said('done');
    });
    at.use(async (operation, next) => {
      const { context } = operation;
      if (operation.method !== 'tools/call' || context === undefined) return next();
      const answer = await ask(context, 'May I?');
      await step(context, 'middleware');
      if (answer === 'no') return { kind: 'complete', result: { ...text('stopped') } };
      return next();
    });
    const outcome = (await sentOften(at, back(await exchange(at)))) as Outcome;
    expect(textIn(outcome)).toBe('done');
    expect(took).toEqual(['middleware', 'handler']);
    took.length = 0;
    const asked = await exchange(at);
    const stopped = { state: requireAsks(asked).state, answers: accepting(asked, () => 'no') };
    expect(textIn((await sentOften(at, stopped)) as Outcome)).toBe('stopped');
    expect(took).toEqual(['middleware']);
  });
});

describe('a call that was forgotten', () => {
  const acting = (
    options: NonNullable<McpServerOptions['asking']>,
    more: McpServerOptions = {},
  ): [McpServer, string[]] => {
    const { took, step } = counter();
    const at = serverOf(
      async (ctx) => {
        await ask(ctx, 'm');
        await step(ctx, 'act');
        return said('x'.repeat(200_000));
      },
      { asking: options, ...more },
    );
    return [at, took];
  };

  const ROOM = { maxBytes: 4_000_000 };
  it.each([
    ['in this process', {}, { leftBehind: ROOM }],
    ['in a store', { keys: ['k'.repeat(32)], store: memoryStore(ROOM) }, {}],
  ])('for want of room, %s, is refused and not run again', async (_where, options, more) => {
    const [at, took] = acting(options, more);
    const authInfo = { token: 't', clientId: 'ann', scopes: [] };
    const waiting = back(await exchange(at, { authInfo }));
    const done = back(await exchange(at, { authInfo }));
    await exchange(at, { ...done, authInfo });
    expect(took).toHaveLength(1);
    // Another caller's records stay when one leaves more behind than it may.
    const other = back(await exchange(at));
    for (let times = 0; times < 10; times += 1)
      await exchange(at, { ...back(await exchange(at, { authInfo })), authInfo });
    took.length = 0;
    await expect(exchange(at, { ...done, authInfo })).rejects.toThrow('is refused: it has expired, or its call');
    await expect(exchange(at, { ...waiting, authInfo })).rejects.toThrow('it has expired');
    expect(took).toEqual([]);
    await exchange(at, other);
    expect(took).toEqual(['act']);
  });

  it('is remembered for as long as its state is good', async () => {
    const clock = new ManualClock(1e12);
    const [at, took] = acting({ ttlMs: 1000 }, { clock });
    const retry = back(await exchange(at));
    await clock.advance(1000);
    const first = await exchange(at, retry);
    expect(await exchange(at, retry)).toEqual(first);
    await clock.advance(1);
    await expect(exchange(at, retry)).rejects.toThrow('it has expired');
    expect(took).toEqual(['act']);
  });

  it('because the process was started again is told apart from one that was altered', async () => {
    const [before] = acting({});
    const [after, took] = acting({});
    const retry = back(await exchange(before));
    await expect(exchange(after, retry)).rejects.toThrow(/sealed with a key that this server does not have/);
    expect(took).toEqual([]);
  });
});

it('with shared keys and no store a step may run again, with the same idempotency key', async () => {
  const keys: string[] = [];
  const at = serverOf(
    async (ctx) => {
      await ask(ctx, 'm');
      return said(await ctx.step('act', ({ idempotencyKey }) => keys.push(idempotencyKey)));
    },
    { asking: { keys: ['k'.repeat(32)] } },
  );
  const retry = back(await exchange(at));
  for (let copy = 0; copy < 3; copy += 1) await exchange(at, retry);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
});

describe('an answer that is sent twice', () => {
  const paying = (took: string[], options: McpServerOptions = {}): McpServer => {
    const at = new McpServer({ name: 's', version: '1' }, options);
    at.use(tasks());
    at.registerTool('pay', { task: 'optional' }, async (ctx) => {
      const answer = await ctx.elicit({ message: 'Pay?', schema: Value });
      if (answer.action === 'accept') await ctx.step('pay', () => void took.push(answer.content.value));
      return said(answer.action);
    });
    return at;
  };
  const yes = { action: 'accept', content: { value: 'paid' } };
  const no = { action: 'decline' };

  it('to a live question counts once, and the first counts', async () => {
    for (const [first, second, expected] of [
      [yes, no, ['paid']],
      [no, yes, []],
      [yes, yes, ['paid']],
    ] as const) {
      const took: string[] = [];
      const wire = await Wire.open(paying(took), { elicitation: { form: {} } });
      wire.onrequest = ({ id }) => {
        for (const result of [first, second]) wire.send({ jsonrpc: '2.0', id, result });
        return undefined;
      };
      await wire.result('tools/call', { name: 'pay' }, newestHandshake);
      expect(took).toEqual(expected);
      await wire.close();
    }
  });

  it('to the question of a task counts once, and the first counts', async () => {
    const took: string[] = [];
    const wire = await Wire.open(paying(took), { elicitation: { form: {} }, extensions: { [TASKS_EXTENSION_ID]: {} } });
    const { taskId } = await wire.result('tools/call', { name: 'pay' }, stateless);
    const look = (): Promise<{ status: string; inputRequests?: JsonObject }> =>
      wire.result('tasks/get', { taskId }, stateless);
    let task = await look();
    while (task.status === 'working') task = await look();
    const [key = ''] = Object.keys(task.inputRequests ?? {});
    const update = (answer: JsonObject): Promise<unknown> =>
      wire.result('tasks/update', { taskId, inputResponses: { [key]: answer } }, stateless);
    await Promise.all([update(no), update(yes), update(yes)]);
    while (task.status !== 'completed') task = await look();
    await update(yes);
    expect(task).toMatchObject({ result: { content: [{ text: 'decline' }] } });
    expect(took).toEqual([]);
    await wire.close();
  });
});

it('a call that was cancelled asks nothing more, though its handler returns questions', async () => {
  const began = gate();
  const goOn = gate();
  const at = serverOf(async (ctx) => {
    await ctx.step('s', () => 1);
    began.open();
    await goOn.promise;
    return inputRequired({ inputRequests: { ok: inputRequired.elicit({ message: 'ok?', requestedSchema: Value }) } });
  });
  const wire = await Wire.open(at, { elicitation: { form: {} } });
  await wire.handshake(newestHandshake);
  const requestId = wire.start('tools/call', { name: 't', arguments: {} }, newestHandshake);
  await began.promise;
  wire.notify('notifications/cancelled', { requestId });
  await quiet();
  goOn.open();
  await quiet();
  expect(wire.asked).toEqual([]);
  await wire.close();
});
