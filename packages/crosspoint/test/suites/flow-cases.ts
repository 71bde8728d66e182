import { describe, expect } from 'vitest';
import { z } from 'zod';
import type { Progress } from '../../src/client/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { until, type Bench } from './bench.ts';
import { failureOf, featureCase, parseLines, testCase, textOf } from './subject.ts';

/** How calls run: progress, cancellation, timeouts, side by side, the program's own methods, the end. */
export function flowCases(bench: Bench): void {
  progressCases(bench);
  cancellationCases(bench);
  timeoutCases(bench);
  concurrencyCases(bench);
  ownMethodCases(bench);
  limitCases(bench);
  keyCases(bench);
  endingCases(bench);
}

function progressCases(bench: Bench): void {
  const { subject } = bench;
  const report = async (): Promise<Progress[]> => {
    const seen: Progress[] = [];
    await bench.client.callTool({ name: 'progress' }, { onprogress: (progress) => seen.push(progress) });
    return seen;
  };

  describe('progress', () => {
    testCase(
      subject,
      'L-PROGRESS-003, L-PROGRESS-004, M-PROG-003, M-PROG-006',
      'grows with every notification',
      async () => {
        expect((await report()).map(({ progress, total }) => [progress, total])).toEqual([
          [1, 3],
          [2, 3],
          [2.5, 3],
          [3, 3],
        ]);
      },
    );

    testCase(
      subject,
      'L-PROGRESS-001, L-PROGRESS-002, L-PROGRESS-006, L-PROGRESS-008, M-PROG-001, M-PROG-002, M-PROG-005, M-PROG-009',
      'names the token of its request, and stops with the answer',
      async () => {
        const { client, lines } = bench.shared;
        const before = lines.length;
        await client.callTool({ name: 'progress', arguments: { tag: 'wire' } }, { onprogress: () => {} });
        await bench.noted('late progress wire');
        const messages = parseLines(lines.slice(before)).map(({ message }) => message);
        const call = messages.find(({ params }) => params?.name === 'progress')!;
        const token: unknown = call['params']._meta.progressToken;
        expect(typeof token === 'string' || Number.isInteger(token)).toBe(true);
        const answer = messages.findIndex((message) => message['id'] === call['id'] && 'result' in message);
        const reports = messages.flatMap((message, index) =>
          message['method'] === 'notifications/progress'
            ? [{ index, token: message['params'].progressToken as unknown }]
            : [],
        );
        expect(reports.length).toBe(4);
        for (const one of reports) {
          expect(one.token).toBe(token);
          expect(one.index).toBeLessThan(answer);
        }
        const tokens = messages.flatMap(({ params }) => params?._meta?.progressToken ?? []);
        expect(new Set(tokens).size).toBe(tokens.length);
      },
    );

    featureCase(
      subject,
      'progress messages',
      { ids: 'L-PROGRESS-005', idsWithout: 'L-SCHEMA-014', title: 'comes with a text for people' },
      {
        has: async () =>
          expect((await report()).map(({ message }) => message)).toEqual(['step 1', 'step 2', 'step 2.5', 'step 3']),
        lacks: async () => expect((await report()).some((progress) => 'message' in progress)).toBe(false),
      },
    );
  });
}

function cancellationCases(bench: Bench): void {
  const { subject } = bench;

  describe('cancellation', () => {
    testCase(
      subject,
      'L-CANCELLATION-001, L-CANCELLATION-004, L-CANCELLATION-005, L-CANCELLATION-006, L-CANCELLATION-013, L-CANCELLATION-014, M-CAN-001, M-CAN-009, M-CAN-011, M-STDIO-009, M-STDIO-010, M-STDIO-011',
      'reaches the signal of the handler, and nothing more is said of the request',
      async () => {
        const { client, lines } = bench.shared;
        const before = lines.length;
        const controller = new AbortController();
        const failed = failureOf(
          client.callTool({ name: 'hold', arguments: { key: 'a' } }, { signal: controller.signal }),
        );
        await bench.noted('held a', client);
        controller.abort();
        expect(await failed).toMatchObject({ name: 'TransportError', code: 'aborted' });
        expect(await bench.noted('aborted a', client)).toHaveLength(1);
        await bench.call('release', { key: 'a', value: 'late' }, client);
        await bench.call('add', { a: 1, b: 1 }, client);
        const messages = parseLines(lines.slice(before));
        const { id } = messages.find(({ message }) => message['params']?.name === 'hold')!.message;
        const cancelled = messages.find(({ message }) => message['method'] === 'notifications/cancelled');
        expect(cancelled).toMatchObject({ sent: true, message: { params: { requestId: id } } });
        expect(messages.some(({ sent, message }) => !sent && message['id'] === id)).toBe(false);
      },
    );

    testCase(subject, 'L-CANCELLATION-001', 'sends nothing for a signal that was aborted before', async () => {
      const before = bench.shared.lines.length;
      expect(
        (
          await failureOf(
            bench.client.callTool({ name: 'add', arguments: { a: 1, b: 1 } }, { signal: AbortSignal.abort() }),
          )
        ).code,
      ).toBe('aborted');
      expect(bench.shared.lines.length).toBe(before);
    });

    testCase(
      subject,
      'L-CANCELLATION-007, L-CANCELLATION-008, L-CANCELLATION-009, M-CAN-012, M-CAN-013, M-CAN-014',
      'may cross the answer on the way',
      async () => {
        const controller = new AbortController();
        const failed = failureOf(
          bench.client.callTool({ name: 'hold', arguments: { key: 'race' } }, { signal: controller.signal }),
        );
        await bench.noted('held race');
        const released = bench.call('release', { key: 'race', value: 'just in time' });
        controller.abort(new Error('changed my mind'));
        expect((await failed).message).toBe('changed my mind');
        expect(await released).toBe('released');
        expect(await bench.call('add', { a: 2, b: 2 })).toBe('4');
      },
    );

    testCase(
      subject,
      'L-CANCELLATION-007, L-CANCELLATION-012, M-CAN-012, M-CAN-017',
      'of nothing in particular is ignored',
      async () => {
        for (const params of [{ requestId: 987_654 }, { requestId: 'never' }, { requestId: null }, {}]) {
          await bench.client.notification({ method: 'notifications/cancelled', params });
        }
        expect(await bench.call('add', { a: 2, b: 3 })).toBe('5');
      },
    );
  });
}

function timeoutCases(bench: Bench): void {
  const { subject } = bench;

  describe('timeouts', () => {
    testCase(
      subject,
      'L-LIFECYCLE-024, L-LIFECYCLE-025, L-LIFECYCLE-026, L-TOOLS-047, M-CAN-005, M-CAN-006, M-CAN-007',
      'end a call that stays silent, and cancel it',
      async () => {
        const clock = new ManualClock();
        const { client, lines } = await bench.connect('everything', { clock });
        const failed = failureOf(client.callTool({ name: 'hold', arguments: { key: 'idle' } }, { timeout: 1000 }));
        await bench.noted('held idle', client);
        await clock.advance(999);
        expect(lines.some((line) => line.includes('notifications/cancelled'))).toBe(false);
        await clock.advance(1);
        expect(await failed).toMatchObject({
          code: 'idle-timeout',
          details: { method: 'tools/call', timeoutMs: 1000 },
        });
        expect(await bench.noted('aborted idle', client)).toHaveLength(1);
      },
    );

    testCase(
      subject,
      'L-LIFECYCLE-027, L-LIFECYCLE-028, M-CAN-008',
      'are put off by progress, but not for ever',
      async () => {
        const clock = new ManualClock();
        const { client } = await bench.connect('everything', { clock });
        const seen: number[] = [];
        const failed = failureOf(
          client.callTool(
            { name: 'hold', arguments: { key: 'total' } },
            { timeout: 1000, maxTotalTimeout: 2500, onprogress: ({ progress }) => seen.push(progress) },
          ),
        );
        await bench.noted('held total', client);
        for (const progress of [1, 2]) {
          await clock.advance(900);
          await bench.call('nudge', { key: 'total', progress }, client);
          await until(() => seen.length === progress, 'progress');
        }
        await clock.advance(699);
        expect(seen).toEqual([1, 2]);
        await clock.advance(1);
        expect(await failed).toMatchObject({ code: 'total-timeout', details: { timeoutMs: 2500 } });
      },
    );
  });
}

function concurrencyCases(bench: Bench): void {
  const { subject } = bench;

  describe('side by side', () => {
    testCase(
      subject,
      'L-MESSAGES-006, L-MESSAGES-007, M-BASE-006, M-BASE-015',
      'gives each call its own answer, in whatever order they end',
      async () => {
        const order: string[] = [];
        const hold = (key: string) =>
          bench.call('hold', { key }).then((value) => {
            order.push(key);
            return value;
          });
        const held = ['x', 'y', 'z'].map((key) => hold(key));
        for (const key of ['x', 'y', 'z']) await bench.noted(`held ${key}`);
        for (const key of ['z', 'x', 'y']) await bench.call('release', { key, value: `value of ${key}` });
        expect(await Promise.all(held)).toEqual(['value of x', 'value of y', 'value of z']);
        expect(order).toEqual(['z', 'x', 'y']);
      },
    );

    testCase(subject, 'L-MESSAGES-005, M-BASE-005', 'runs hundreds of calls at once', async () => {
      const sums = await Promise.all(Array.from({ length: 300 }, (_, index) => bench.call('add', { a: index, b: 1 })));
      expect(sums).toEqual(Array.from({ length: 300 }, (_, index) => String(index + 1)));
    });
  });
}

function ownMethodCases(bench: Bench): void {
  const { subject } = bench;

  describe('methods', () => {
    testCase(
      subject,
      'L-MESSAGES-026, L-MESSAGES-008, M-ERR-001, M-ERR-013',
      'that nobody knows are refused',
      async () => {
        expect(await failureOf(bench.client.request({ method: 'example/nobody' }))).toMatchObject({
          kind: 'method-not-found',
          code: -32601,
        });
        expect((await failureOf(bench.client.request({ method: '__proto__' }))).code).toBe(-32601);
        expect((await failureOf(bench.client.request({ method: 'constructor' }))).code).toBe(-32601);
      },
    );

    testCase(subject, '', 'of the program itself are served', async () => {
      expect(await bench.client.request({ method: 'example/double', params: { value: 21 } })).toMatchObject({
        doubled: 42,
      });
      const schema = z.object({ doubled: z.number() });
      expect(await bench.client.request({ method: 'example/double', params: { value: 2 } }, schema)).toEqual({
        doubled: 4,
      });
    });

    testCase(
      subject,
      'L-MESSAGES-014, L-MESSAGES-015, M-BASE-012, M-BASE-013',
      'that are notifications arrive and are not answered',
      async () => {
        const { client, lines } = bench.shared;
        const before = lines.length;
        await client.notification({ method: 'example/note', params: { text: 'hello' } });
        await client.notification({ method: 'example/nobody' });
        expect(await bench.noted('noted', client)).toEqual(['noted hello']);
        const after = parseLines(lines.slice(before));
        expect(after.slice(0, 2).every(({ sent, message }) => sent && !('id' in message))).toBe(true);
        expect(after.filter(({ sent }) => !sent)).toHaveLength(1);
      },
    );

    testCase(subject, 'L-MESSAGES-014, M-BASE-013', 'of the server that are notifications arrive too', async () => {
      const heard: unknown[] = [];
      bench.client.setNotificationHandler('example/happened', ({ params }) => void heard.push(params));
      expect(await bench.call('notify')).toBe('notified');
      await until(() => heard.length > 0, 'the notification');
      expect(heard).toEqual([{ what: 'this' }]);
    });
  });
}

function limitCases(bench: Bench): void {
  const { subject } = bench;

  describe('limits', () => {
    testCase(
      subject,
      'L-TOOLS-039, M-TOOL-031',
      'refuse what comes too often, with the time to wait, and nothing else',
      async () => {
        const { client } = await bench.connect('limited');
        const call = (name: string): Promise<unknown> => client.callTool({ name });
        await call('dear');
        await call('dear');
        const refused = await failureOf(call('dear'));
        expect(refused).toMatchObject({ name: 'ProtocolError', kind: 'rate-limited', code: 429 });
        expect((refused as unknown as { data: { retryAfterMs: number } }).data.retryAfterMs).toBeGreaterThan(0);
        for (let again = 0; again < 5; again += 1) await call('cheap');
      },
    );
  });
}

function keyCases(bench: Bench): void {
  const { subject } = bench;
  const hold = (key: string, idempotencyKey: string): Promise<string> =>
    bench.client.callTool({ name: 'hold', arguments: { key } }, { idempotencyKey }).then(textOf);

  describe('a call with an idempotency key', () => {
    testCase(subject, '', 'is carried out once: a repeat waits for it, and a later one gets its outcome', async () => {
      const idempotencyKey = crypto.randomUUID();
      const key = `key-${subject.name}`;
      const first = hold(key, idempotencyKey);
      await bench.noted(`held ${key}`);
      const second = hold(key, idempotencyKey);
      await bench.call('add', { a: 1, b: 1 });
      await bench.call('release', { key, value: 'once' });
      expect(await Promise.all([first, second])).toEqual(['once', 'once']);
      expect(await hold(key, idempotencyKey)).toBe('once');
      expect(await bench.noted(`held ${key}`)).toHaveLength(1);
    });

    testCase(subject, '', 'is refused when its arguments are others', async () => {
      const idempotencyKey = crypto.randomUUID();
      const add = (a: number): Promise<unknown> =>
        bench.client.callTool({ name: 'add', arguments: { a, b: 1 } }, { idempotencyKey });
      await add(1);
      expect(await failureOf(add(2))).toMatchObject({
        kind: 'idempotency-conflict',
        code: 409,
        data: { reason: 'other-arguments' },
      });
    });
  });
}

function endingCases(bench: Bench): void {
  const { subject } = bench;

  describe('the end', () => {
    testCase(
      subject,
      'L-LIFECYCLE-029, L-STDIO-013, M-STDIO-014',
      'by the server fails what waits and is told once',
      async () => {
        const { client } = await bench.connect('everything');
        let closes = 0;
        client.onclose = () => closes++;
        const failed = failureOf(client.callTool({ name: 'hold', arguments: { key: 'end' } }));
        await bench.noted('held end', client);
        const closing = client.callTool({ name: 'close' }).catch((error: unknown) => error);
        // Over HTTP there is no connection that could close: the call fails, and the client would go on with the server's successor.
        if (subject.transport.startsWith('HTTP')) {
          expect(['closed', 'delivery-unknown', 'http']).toContain((await failed).code);
          return;
        }
        expect(await failed).toMatchObject({ name: 'TransportError', code: 'closed' });
        expect(textOf((await closing) as { content: { type: string }[] })).toBe('closing');
        await until(() => closes > 0, 'onclose');
        expect(closes).toBe(1);
        expect((await failureOf(client.listTools())).code).toBe('closed');
      },
    );

    testCase(subject, 'L-LIFECYCLE-029', 'by the client fails what waits and refuses what comes later', async () => {
      const { client, lines } = await bench.connect('everything');
      let closes = 0;
      client.onclose = () => closes++;
      const failed = failureOf(client.callTool({ name: 'hold', arguments: { key: 'end' } }));
      await bench.noted('held end', client);
      const before = lines.length;
      await client.close();
      expect((await failed).code).toBe('closed');
      expect((await failureOf(client.callTool({ name: 'add' }))).code).toBe('closed');
      expect(closes).toBe(1);
      expect(lines.slice(before).filter((line) => line.startsWith('→'))).toEqual([]);
    });
  });
}
