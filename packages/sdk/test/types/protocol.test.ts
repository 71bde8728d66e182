import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/v4';
import { InMemoryTransport } from '../../src/inMemory.ts';
import { DEFAULT_REQUEST_TIMEOUT_MSEC, Protocol, mergeCapabilities } from '../../src/shared/protocol.ts';
import { takeResult, toArrayAsync } from '../../src/shared/responseMessage.ts';
import {
  CreateTaskResultSchema,
  ErrorCode,
  GetTaskPayloadRequestSchema,
  GetTaskRequestSchema,
  McpError,
  NotificationSchema,
  RequestSchema,
  ResultSchema,
  type Notification,
  type Request,
  type Result,
} from '../../src/types.ts';
import { until } from '../../../crosspoint/test/until.ts';

const AddSchema = RequestSchema.extend({
  method: z.literal('acme/add'),
  params: z.object({ a: z.number(), b: z.number() }),
});
const SumSchema = ResultSchema.extend({ sum: z.number() });
const NewsSchema = NotificationSchema.extend({ method: z.literal('acme/news') });

/** A protocol of a program's own, which everything is allowed in unless `refuses` says otherwise. */
class Acme extends Protocol<Request, Notification, Result> {
  refuses: string | undefined;
  #check(method: string): void {
    if (this.refuses === method) throw new Error(`${method} is not allowed`);
  }
  protected override assertCapabilityForMethod(method: string): void {
    this.#check(method);
  }
  protected override assertNotificationCapability(method: string): void {
    this.#check(method);
  }
  protected override assertRequestHandlerCapability(method: string): void {
    // Called while the base class is made, before this class has anything.
    if (method === 'acme/forbidden') throw new Error('no such handler');
  }
  protected override assertTaskCapability(): void {}
  protected override assertTaskHandlerCapability(): void {}
  stream(request: Request, options?: Parameters<Acme['request']>[2]) {
    return this.requestStream(request, SumSchema, options);
  }
}

async function pair(options?: ConstructorParameters<typeof Acme>[0]) {
  const [one, two] = [new Acme(options), new Acme()];
  const [here, there] = InMemoryTransport.createLinkedPair();
  await two.connect(there);
  await one.connect(here);
  return { one, two, here, there };
}

const add = { method: 'acme/add', params: { a: 1, b: 2 } };
const never = (): Promise<Result> => new Promise(() => {});

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

afterEach(() => void vi.useRealTimers());

describe('Protocol', () => {
  it('asks and answers in both directions, with schemas of the program’s own', async () => {
    const { one, two } = await pair();
    for (const side of [one, two]) side.setRequestHandler(AddSchema, ({ params: { a, b } }) => ({ sum: a + b }));
    expect((await one.request(add, SumSchema)).sum).toBe(3);
    expect((await two.request(add, SumSchema)).sum).toBe(3);
    expect(await one.request({ method: 'ping' }, ResultSchema)).toEqual({});
  });

  it('knows methods without a handler, params that do not fit and handlers that fail', async () => {
    const { one, two } = await pair();
    const problems: Error[] = [];
    two.onerror = (error) => problems.push(error);
    expect(await failureOf(one.request(add, SumSchema))).toMatchObject({ code: ErrorCode.MethodNotFound });
    two.setRequestHandler(AddSchema, () => {
      throw new McpError(4711, 'mine', { a: 1 });
    });
    expect(await failureOf(one.request(add, SumSchema))).toMatchObject({ code: 4711, data: { a: 1 } });
    const wrong = { method: 'acme/add', params: { a: 'x' } };
    expect(await failureOf(one.request(wrong, SumSchema))).toMatchObject({ code: ErrorCode.InvalidParams });
    two.setRequestHandler(AddSchema, () => {
      throw new Error('out of paper');
    });
    const failed = (await failureOf(one.request(add, SumSchema))) as McpError;
    expect(failed.code).toBe(ErrorCode.InternalError);
    expect(failed.message).toBe('MCP error -32603: out of paper');
    expect(problems).toEqual([]);
  });

  it('rejects with what the schema says of a result that does not fit', async () => {
    const { one, two } = await pair();
    two.setRequestHandler(AddSchema, () => ({ sum: 'three' }));
    expect(await failureOf(one.request(add, SumSchema))).toMatchObject({ issues: [{ path: ['sum'] }] });
  });

  it('asks the fallbacks for what has no handler', async () => {
    const { one, two } = await pair();
    const news: unknown[] = [];
    two.fallbackRequestHandler = async ({ method }) => ({ method });
    two.fallbackNotificationHandler = async ({ method }) => void news.push(method);
    expect(await one.request({ method: 'acme/any' }, ResultSchema)).toEqual({ method: 'acme/any' });
    await one.notification({ method: 'acme/other' });
    await until(() => news.length === 1);
    expect(news).toEqual(['acme/other']);
  });

  it('reports progress and gives it a longer wait where that is wanted', async () => {
    vi.useFakeTimers();
    const { one, two } = await pair();
    let finish: ((result: Result) => void) | undefined;
    let token: unknown;
    two.setRequestHandler(AddSchema, (_request, extra) => {
      token = extra._meta?.progressToken;
      return new Promise((resolve) => (finish = resolve));
    });
    const seen: unknown[] = [];
    const call = one.request(add, SumSchema, {
      timeout: 100,
      resetTimeoutOnProgress: true,
      onprogress: (progress) => seen.push(progress),
    });
    await vi.advanceTimersByTimeAsync(90);
    await two.notification({
      method: 'notifications/progress',
      params: { progressToken: token, progress: 1, total: 2 },
    });
    await vi.advanceTimersByTimeAsync(90);
    finish?.({ sum: 3 });
    expect((await call).sum).toBe(3);
    expect(seen).toEqual([{ progress: 1, total: 2 }]);
  });

  it('gives up in time and tells the other side, whatever progress there is', async () => {
    vi.useFakeTimers();
    const { one, two } = await pair();
    let signal: AbortSignal | undefined;
    let token: unknown;
    two.setRequestHandler(AddSchema, (_request, extra) => {
      ({ signal } = extra);
      token = extra._meta?.progressToken;
      return never();
    });
    const silent = failureOf(one.request(add, SumSchema, { timeout: 100 }));
    await vi.advanceTimersByTimeAsync(100);
    expect(await silent).toMatchObject({ code: ErrorCode.RequestTimeout, data: { timeout: 100 } });
    await vi.advanceTimersByTimeAsync(1);
    expect(signal?.aborted).toBe(true);

    const busy = failureOf(
      one.request(add, SumSchema, {
        timeout: 100,
        maxTotalTimeout: 150,
        resetTimeoutOnProgress: true,
        onprogress: () => {},
      }),
    );
    await vi.advanceTimersByTimeAsync(90);
    await two.notification({ method: 'notifications/progress', params: { progressToken: token, progress: 1 } });
    await vi.advanceTimersByTimeAsync(60);
    expect(await busy).toMatchObject({ code: ErrorCode.RequestTimeout, data: { maxTotalTimeout: 150 } });
    expect(DEFAULT_REQUEST_TIMEOUT_MSEC).toBe(60_000);
  });

  it('is cancelled by a signal, and the handler is told', async () => {
    const { one, two } = await pair();
    let signal: AbortSignal | undefined;
    two.setRequestHandler(AddSchema, (_request, extra) => {
      ({ signal } = extra);
      return never();
    });
    const controller = new AbortController();
    const call = failureOf(one.request(add, SumSchema, { signal: controller.signal }));
    await until(() => signal !== undefined);
    controller.abort('enough');
    expect(await call).toBeInstanceOf(McpError);
    await until(() => signal?.aborted === true);
    const late = failureOf(one.request(add, SumSchema, { signal: controller.signal }));
    expect(await late).toBe('enough');
  });

  it('ends everything when the connection ends, calls what the transport had, and can be connected again', async () => {
    const [one, two] = [new Acme(), new Acme()];
    const [here, there] = InMemoryTransport.createLinkedPair();
    const closed: string[] = [];
    here.onclose = () => closed.push('transport');
    one.onclose = () => closed.push('protocol');
    let signal: AbortSignal | undefined;
    two.setRequestHandler(AddSchema, (_request, extra) => {
      ({ signal } = extra);
      return never();
    });
    await two.connect(there);
    await one.connect(here);
    expect(await failureOf(one.connect(here))).toBeInstanceOf(Error);
    const call = failureOf(one.request(add, SumSchema));
    await until(() => signal !== undefined);
    await two.close();
    expect(await call).toMatchObject({ code: ErrorCode.ConnectionClosed });
    expect(closed).toEqual(['transport', 'protocol']);
    expect(signal?.aborted).toBe(true);
    expect(one.transport).toBeUndefined();
    expect(await failureOf(one.request(add, SumSchema))).toBeInstanceOf(Error);
    const [again, other] = InMemoryTransport.createLinkedPair();
    two.setRequestHandler(AddSchema, () => ({ sum: 3 }));
    await two.connect(other);
    await one.connect(again);
    expect((await one.request(add, SumSchema)).sum).toBe(3);
  });

  it('sends one notification for several of a turn, where that is wanted', async () => {
    const { one, two } = await pair({ debouncedNotificationMethods: ['acme/news'] });
    const news: unknown[] = [];
    two.setNotificationHandler(NewsSchema, ({ params }) => void news.push(params ?? 'plain'));
    await Promise.all([one.notification({ method: 'acme/news' }), one.notification({ method: 'acme/news' })]);
    await one.notification({ method: 'acme/news', params: { a: 1 } });
    await until(() => news.length === 2);
    expect(news).toEqual(['plain', { a: 1 }]);
  });

  it('asks the program what is allowed', async () => {
    const { one, two } = await pair({ enforceStrictCapabilities: true });
    one.refuses = 'acme/add';
    expect(await failureOf(one.request(add, SumSchema))).toMatchObject({ message: 'acme/add is not allowed' });
    one.refuses = 'acme/news';
    expect(await failureOf(one.notification({ method: 'acme/news' }))).toBeInstanceOf(Error);
    const forbidden = RequestSchema.extend({ method: z.literal('acme/forbidden') });
    expect(() => two.setRequestHandler(forbidden, () => ({}))).toThrow('no such handler');
  });

  it('knows which methods have handlers', async () => {
    const { one } = await pair();
    one.setRequestHandler(AddSchema, () => ({ sum: 0 }));
    expect(() => one.assertCanSetRequestHandler('acme/add')).toThrow('acme/add');
    one.removeRequestHandler('acme/add');
    expect(() => one.assertCanSetRequestHandler('acme/add')).not.toThrow();
  });

  it('asks from within a handler, on its behalf', async () => {
    const { one, two, there } = await pair();
    const related: unknown[] = [];
    const send = there.send.bind(there);
    there.send = (message, options) => {
      related.push(options?.relatedRequestId);
      return send(message, options);
    };
    one.setRequestHandler(AddSchema, ({ params: { a, b } }) => ({ sum: a + b }));
    two.setRequestHandler(AddSchema, async (_request, extra) => extra.sendRequest(add, SumSchema));
    expect((await one.request(add, SumSchema)).sum).toBe(3);
    expect(related).toEqual([0, undefined]);
  });

  it('follows a request that became a task, to its result', async () => {
    const { one, two } = await pair();
    const task = { taskId: 't', ttl: null, createdAt: 'x', lastUpdatedAt: 'x', pollInterval: 1 };
    const wishes: unknown[] = [];
    let polls = 0;
    two.setRequestHandler(
      RequestSchema.extend({ method: z.literal('acme/add'), params: z.looseObject({ task: z.unknown() }) }),
      ({ params }) => {
        wishes.push(params.task);
        return CreateTaskResultSchema.parse({ task: { ...task, status: 'working' } });
      },
    );
    two.setRequestHandler(GetTaskRequestSchema, () => ({ ...task, status: ++polls < 2 ? 'working' : 'completed' }));
    two.setRequestHandler(GetTaskPayloadRequestSchema, () => ({ sum: 3 }));
    const told = await toArrayAsync(one.stream(add, { task: { ttl: 5 } }));
    expect(told.map(({ type }) => type)).toEqual(['taskCreated', 'taskStatus', 'taskStatus', 'result']);
    expect(told.at(-1)).toMatchObject({ result: { sum: 3 } });
    expect(wishes).toEqual([{ ttl: 5 }]);
    two.removeRequestHandler('acme/add');
    await expect(takeResult(one.stream(add))).rejects.toMatchObject({ code: ErrorCode.MethodNotFound });
  });
});

describe('mergeCapabilities', () => {
  it('adds capability by capability and changes neither', () => {
    const base = { tools: { listChanged: true }, logging: {} };
    expect(mergeCapabilities(base, { tools: {}, prompts: { listChanged: true }, logging: undefined })).toEqual({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      logging: {},
    });
    expect(base).toEqual({ tools: { listChanged: true }, logging: {} });
  });
});
