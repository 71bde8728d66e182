import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { McpServer, TransportError, text, type ServerContext } from '../../src/server/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { proves } from '../requirements/proves.ts';
import { everyHandshake, everyRevision, gate, newestHandshake, quiet, stateless, Wire } from './wire.ts';

const info = { name: 'cancellation', version: '1.0' };

interface Job {
  ctx: ServerContext;
  finish: (words: string) => void;
  fail: (error: unknown) => void;
}

/** A tool whose calls wait until the test ends them, in the order they came. */
function waiting(): { server: McpServer; jobs: Job[]; problems: Error[] } {
  const jobs: Job[] = [];
  const problems: Error[] = [];
  const server = new McpServer(info, { capabilities: { logging: {} } });
  server.server.onerror = (error) => problems.push(error);
  server.registerTool('wait', {}, async (ctx) => {
    const end = gate<string>();
    jobs.push({ ctx, finish: end.open, fail: end.fail });
    return text(await end.promise);
  });
  return { server, jobs, problems };
}

async function begin(wire: Wire, revision: typeof stateless, id?: number): Promise<number> {
  if (revision !== stateless) await wire.handshake(revision);
  const used = wire.start('tools/call', { name: 'wait' }, revision, {
    progressToken: 'p',
    logLevel: 'debug',
    ...(id !== undefined && { id }),
  }) as number;
  await quiet();
  return used;
}

describe.each(everyRevision)('cancellation in %s', (_id, revision) => {
  proves('L-CANCELLATION-004, L-CANCELLATION-005, L-CANCELLATION-006, M-CAN-011, M-STDIO-011').test(
    'the handler is told why, and no answer, progress, log or question follows',
    async () => {
      const { server, jobs } = waiting();
      const wire = await Wire.open(server, { elicitation: {} });
      const id = await begin(wire, revision);
      const { ctx, finish } = jobs[0]!;
      const reasons: unknown[] = [];
      ctx.signal.addEventListener('abort', () => reasons.push(ctx.signal.reason));
      wire.notify('notifications/cancelled', { requestId: id, reason: 'changed my mind' });
      await quiet();
      const before = wire.frames.length;
      expect(reasons).toEqual([expect.objectContaining({ code: 'aborted', message: 'changed my mind' })]);
      expect(ctx.aborted).toBe(true);
      ctx.progress(1);
      ctx.log('error', 'late');
      await ctx.sendNotification({ method: 'com.example/late' });
      await expect(ctx.sendRequest({ method: 'ping' })).rejects.toThrow();
      await expect(ctx.elicit({ message: '?', requestedSchema: {} })).rejects.toThrow();
      finish('late');
      await quiet();
      expect(wire.frames.slice(before)).toEqual([]);
    },
  );

  test('a signal that is asked for only after the cancellation is aborted with its reason', async () => {
    const { server, jobs } = waiting();
    const wire = await Wire.open(server);
    const id = await begin(wire, revision);
    wire.notify('notifications/cancelled', { requestId: id });
    await quiet();
    const { signal } = jobs[0]!.ctx;
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBeInstanceOf(TransportError);
  });

  proves('L-CANCELLATION-009, M-CAN-014').test('cancellation and completion may cross in either order', async () => {
    const { server, jobs, problems } = waiting();
    const wire = await Wire.open(server);
    const first = await begin(wire, revision);
    jobs[0]!.finish('done');
    wire.notify('notifications/cancelled', { requestId: first });
    await quiet();
    const second = await begin(wire, revision);
    wire.notify('notifications/cancelled', { requestId: second });
    jobs[1]!.finish('done');
    await quiet();
    expect(wire.answers(first).length).toBeLessThanOrEqual(1);
    expect(wire.answers(second)).toEqual([]);
    expect(problems).toEqual([]);
    await wire.result('tools/list', {}, revision);
  });

  test('a handler that rejects after its cancellation troubles nobody', async () => {
    const { server, jobs, problems } = waiting();
    const wire = await Wire.open(server);
    const id = await begin(wire, revision);
    wire.notify('notifications/cancelled', { requestId: id });
    await quiet();
    jobs[0]!.fail(new Error('too late'));
    await quiet();
    expect(wire.answers(id)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('an id that was cancelled and is used again gets the answer, progress and failure of its own call only', async () => {
    const { server, jobs } = waiting();
    const wire = await Wire.open(server);
    await begin(wire, revision, 77);
    wire.notify('notifications/cancelled', { requestId: 77 });
    await quiet();
    await begin(wire, revision, 77);
    expect(jobs).toHaveLength(2);
    jobs[0]!.ctx.progress(99);
    jobs[0]!.ctx.log('error', 'of the first call');
    jobs[0]!.finish('of the first call');
    await quiet();
    expect(wire.answers(77)).toEqual([]);
    expect(wire.notifications).toEqual([]);
    jobs[1]!.finish('of the second call');
    expect((await wire.answer(77)).result.content[0].text).toBe('of the second call');
    wire.notify('notifications/cancelled', { requestId: 77 });
    await begin(wire, revision, 78);
    wire.notify('notifications/cancelled', { requestId: 78 });
    await quiet();
    await begin(wire, revision, 78);
    jobs[2]!.fail(new Error('of the third call'));
    await quiet();
    expect(wire.answers(78)).toEqual([]);
  });

  proves('L-CANCELLATION-012, L-CANCELLATION-013, L-CANCELLATION-014, M-CAN-017').test(
    'cancellations of nothing, of what is done, or malformed are ignored',
    async () => {
      const { server, jobs, problems } = waiting();
      const wire = await Wire.open(server);
      const id = await begin(wire, revision);
      for (const params of [
        undefined,
        {},
        { requestId: 999 },
        { requestId: String(id) },
        { requestId: null },
        { requestId: {} },
        { requestId: [id] },
      ]) {
        wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', ...(params && { params }) });
      }
      await quiet();
      expect(jobs[0]!.ctx.aborted).toBe(false);
      jobs[0]!.finish('done');
      await wire.answer(id);
      wire.notify('notifications/cancelled', { requestId: id });
      await quiet();
      expect(wire.answers(id)).toHaveLength(1);
      expect(problems).toEqual([]);
    },
  );

  test('the end of the connection cancels what is under way', async () => {
    const { server, jobs } = waiting();
    const wire = await Wire.open(server);
    await begin(wire, revision);
    await wire.close();
    await quiet();
    expect(jobs[0]!.ctx.signal.aborted).toBe(true);
    jobs[0]!.finish('into the void');
    await quiet();
    expect(server.isConnected()).toBe(false);
  });

  test('closing the server cancels what is under way on every connection', async () => {
    const { server, jobs } = waiting();
    const wires = [await Wire.open(server), await Wire.open(server)];
    for (const wire of wires) await begin(wire, revision);
    await server.close();
    expect(jobs.map((job) => job.ctx.aborted)).toEqual([true, true]);
    expect(wires.map((wire) => wire.closed)).toEqual([true, true]);
  });
});

proves('M-CAN-014').test(
  'whatever order calls, cancellations and ends come in, each call is answered once or, if cancelled first, never',
  async () => {
    type Step = { kind: 'call' | 'cancel' | 'finish' | 'fail'; which: number };
    const step: fc.Arbitrary<Step> = fc.record({
      kind: fc.constantFrom('call', 'cancel', 'finish', 'fail'),
      which: fc.nat(5),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { server, jobs, problems } = waiting();
        const wire = await Wire.open(server);
        const ids: number[] = [];
        const cancelled = new Set<number>();
        const ended = new Set<number>();
        for (const { kind, which } of steps) {
          if (kind === 'call') ids.push(await begin(wire, stateless));
          else if (which < ids.length && kind === 'cancel') {
            wire.notify('notifications/cancelled', { requestId: ids[which] });
            await quiet();
            if (!ended.has(which)) cancelled.add(which);
          } else if (which < jobs.length) {
            if (kind === 'finish') jobs[which]!.finish('done');
            else jobs[which]!.fail(new Error('failed'));
            await quiet();
            ended.add(which);
          }
        }
        expect(ids.map((id) => wire.answers(id).length)).toEqual(
          ids.map((_, index) => (ended.has(index) && !cancelled.has(index) ? 1 : 0)),
        );
        expect(problems).toEqual([]);
        await wire.close();
      }),
      { numRuns: 60 },
    );
  },
);

describe.each(everyHandshake)('requests of the server in %s', (_id, revision) => {
  proves('L-CANCELLATION-001').test(
    'what the server asked for a call is cancelled with it, by its own id, and with nothing else',
    async () => {
      const { server, jobs } = waiting();
      const wire = await Wire.open(server, { roots: {} });
      const id = await begin(wire, revision);
      const roots = jobs[0]!.ctx.listRoots();
      const asked = await wire.frame((frame) => frame.method === 'roots/list', 'roots/list');
      wire.notify('notifications/cancelled', { requestId: id });
      await expect(roots).rejects.toThrow();
      await quiet();
      expect(wire.notified('notifications/cancelled').map((frame) => frame.params?.['requestId'])).toEqual([asked.id]);
      wire.send({ jsonrpc: '2.0', id: asked.id, result: { roots: [] } });
      await quiet();
      expect(wire.notified('notifications/cancelled')).toHaveLength(1);
    },
  );

  proves('L-CANCELLATION-001, L-LIFECYCLE-025').test(
    'a question that times out or is aborted is cancelled once; an answered one never',
    async () => {
      const clock = new ManualClock();
      const server = new McpServer(info, { clock });
      const wire = await Wire.open(server, { roots: {} });
      await wire.handshake(revision);
      await quiet();
      wire.onrequest = () => ({ roots: [] });
      const abort = new AbortController();
      await server.server.listRoots({}, { signal: abort.signal, timeout: 50 });
      abort.abort();
      await clock.advance(100);
      expect(wire.notified('notifications/cancelled')).toEqual([]);
      wire.onrequest = () => undefined;
      const again = new AbortController();
      const aborted = expect(server.server.listRoots({}, { signal: again.signal })).rejects.toMatchObject({
        code: 'aborted',
      });
      const late = expect(server.server.listRoots({}, { timeout: 50 })).rejects.toMatchObject({ code: 'idle-timeout' });
      await wire.frame((frame) => frame.method === 'roots/list' && frame.id === 3, 'the last question');
      again.abort();
      await clock.advance(50);
      await Promise.all([aborted, late, quiet()]);
      expect(wire.notified('notifications/cancelled').map((frame) => frame.params?.['requestId'])).toEqual([2, 3]);
    },
  );
});

describe('cancellations of a stateless server', () => {
  proves('M-CAN-002, M-CAN-010, M-CAN-003, M-SUB-013, M-SUB-014').test(
    'closing ends every subscription with a cancellation of it and its result, and cancels nothing else',
    async () => {
      const { server } = waiting();
      const wire = await Wire.open(server);
      const call = await begin(wire, stateless);
      const listens = [
        wire.start('subscriptions/listen', { notifications: { toolsListChanged: true } }, stateless),
        wire.start('subscriptions/listen', { notifications: { toolsListChanged: true } }, stateless, { id: 'text' }),
      ];
      await quiet();
      await server.close();
      expect(wire.notified('notifications/cancelled').map((frame) => frame.params?.['requestId'])).toEqual(listens);
      for (const id of listens)
        expect(wire.answers(id)).toEqual([
          expect.objectContaining({
            result: expect.objectContaining({
              resultType: 'complete',
              _meta: expect.objectContaining({ 'io.modelcontextprotocol/subscriptionId': id }),
            }),
          }),
        ]);
      expect(wire.answers(call)).toEqual([]);
    },
  );

  proves('M-CAN-003, M-CAN-010').test('a handler cannot send one by hand', async () => {
    const { server, jobs, problems } = waiting();
    const wire = await Wire.open(server);
    await begin(wire, stateless);
    await jobs[0]!.ctx.sendNotification({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await server.server.notification({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await quiet();
    expect(wire.notified('notifications/cancelled')).toEqual([]);
    expect(problems).toHaveLength(1);
  });
});

test('a client that goes away takes the questions to it along', async () => {
  const server = new McpServer(info);
  const wire = await Wire.open(server, { roots: {} });
  await wire.handshake(newestHandshake);
  await quiet();
  const pending = server.server.listRoots();
  await wire.frame((frame) => frame.method === 'roots/list', 'roots/list');
  await wire.close();
  await expect(pending).rejects.toMatchObject({ name: 'TransportError', code: 'closed' });
});
