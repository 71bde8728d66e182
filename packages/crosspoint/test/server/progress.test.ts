import { describe, expect, test } from 'vitest';
import { McpServer, text, type ServerContext } from '../../src/server/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { proves } from '../requirements/proves.ts';
import { everyRevision, gate, oldestHandshake, quiet, stateless, Wire } from './wire.ts';

const info = { name: 'progress', version: '1.0' };
const PROGRESS = 'notifications/progress';

function working(work: (ctx: ServerContext) => unknown): McpServer {
  const server = new McpServer(info, { clock: new ManualClock() });
  server.registerTool('work', {}, async (ctx) => {
    await work(ctx);
    return text('done');
  });
  return server;
}

const values = (wire: Wire): unknown[] => wire.notified(PROGRESS).map((frame) => frame.params?.['progress']);

describe.each(everyRevision)('progress in %s', (_id, revision) => {
  proves('L-PROGRESS-001, L-PROGRESS-004').test(
    'tokens are strings or integers, zero and empty ones too, and come back as they were',
    async () => {
      const wire = await Wire.open(working((ctx) => ctx.progress(0.25, 1)));
      const tokens = ['abc', 7, 0, '', '7'];
      for (const progressToken of tokens) await wire.call('work', {}, revision, { progressToken });
      expect(wire.notified(PROGRESS).map((frame) => frame.params)).toEqual(
        tokens.map((progressToken) => ({ progressToken, progress: 0.25, total: 1 })),
      );
    },
  );

  proves('L-PROGRESS-006, M-PROG-005').test('without a token, or with one that is none, nothing is sent', async () => {
    const wire = await Wire.open(working((ctx) => ctx.progress(1)));
    await wire.call('work', {}, revision);
    for (const progressToken of [1.5, null, {}, true])
      await wire.call('work', {}, revision, { progressToken: progressToken as never });
    await quiet();
    expect(wire.notified(PROGRESS)).toEqual([]);
  });

  proves('L-PROGRESS-003, M-PROG-003').test('only values that grow are sent', async () => {
    const wire = await Wire.open(
      working((ctx) =>
        [1, 1, 0.5, 2, Number.NaN, Number.POSITIVE_INFINITY, -1, 2.5, 2.5].forEach((value) => ctx.progress(value)),
      ),
    );
    await wire.call('work', {}, revision, { progressToken: 't' });
    expect(values(wire)).toEqual([1, 2, 2.5]);
  });

  proves('L-PROGRESS-008, M-PROG-009, L-PROGRESS-006, M-PROG-005').test('nothing follows the answer', async () => {
    let kept: ServerContext | undefined;
    const wire = await Wire.open(
      working((ctx) => {
        kept = ctx;
        ctx.progress(1);
      }),
    );
    await wire.call('work', {}, revision, { progressToken: 't' });
    kept?.progress(2);
    await kept?.sendNotification({ method: PROGRESS, params: { progressToken: 't', progress: 3 } });
    await quiet();
    expect(values(wire)).toEqual([1]);
  });

  proves('L-PROGRESS-010, M-PROG-008').test(
    'a burst is thinned, and its last value always arrives, before the answer',
    async () => {
      const wire = await Wire.open(
        working((ctx) => {
          for (let value = 1; value <= 10_000; value += 1) ctx.progress(value, 10_000);
        }),
      );
      await wire.call('work', {}, revision, { progressToken: 't' });
      expect(wire.notified(PROGRESS).length).toBeLessThan(100);
      expect(values(wire).at(-1)).toBe(10_000);
      expect(wire.frames.at(-1)?.result).toBeDefined();
    },
  );

  proves('L-PROGRESS-005').test('a message is told where the revision has one', async () => {
    const wire = await Wire.open(
      working((ctx) => {
        ctx.progress(1, 2, 'half');
        ctx.progress({ progress: 2, total: 2, message: 'all' });
      }),
    );
    await wire.call('work', {}, revision, { progressToken: 't' });
    expect(wire.notified(PROGRESS).map((frame) => frame.params?.['message'])).toEqual(
      revision === oldestHandshake ? [undefined, undefined] : ['half', 'all'],
    );
  });

  proves('L-PROGRESS-003, L-PROGRESS-006').test(
    'progress written by hand keeps the rules: its own token, growing values',
    async () => {
      const wire = await Wire.open(
        working(async (ctx) => {
          const send = (params: object): Promise<void> =>
            ctx.sendNotification({ method: PROGRESS, params: { ...params } });
          await send({ progressToken: 't', progress: 1 });
          await send({ progressToken: 'other', progress: 2 });
          await send({ progressToken: 't', progress: 1 });
          await send({ progressToken: 't' });
          await send({ progressToken: 't', progress: 3, total: 4, message: 5 });
        }),
      );
      await wire.call('work', {}, revision, { progressToken: 't' });
      expect(wire.notified(PROGRESS).map((frame) => frame.params)).toEqual([
        { progressToken: 't', progress: 1 },
        { progressToken: 't', progress: 3, total: 4 },
      ]);
    },
  );

  test('two requests at once report under their own tokens, and each frame is tied to its request', async () => {
    const gates = [gate(), gate()];
    let calls = 0;
    const wire = await Wire.open(
      working(async (ctx) => {
        const mine = calls++;
        await gates[mine]?.promise;
        ctx.progress(mine + 1);
      }),
    );
    if (revision !== stateless) await wire.handshake(revision);
    const related: unknown[] = [];
    const send = wire.serverTransport.send.bind(wire.serverTransport);
    wire.serverTransport.send = (message, options) => {
      if ('method' in message) related.push([message.params?.['progressToken'], options?.relatedRequestId]);
      send(message, options);
    };
    const one = wire.start('tools/call', { name: 'work' }, revision, { progressToken: 'one' });
    const two = wire.start('tools/call', { name: 'work' }, revision, { progressToken: 'two' });
    gates[1]?.open();
    await wire.answer(two);
    gates[0]?.open();
    await wire.answer(one);
    expect(related).toEqual([
      ['two', two],
      ['one', one],
    ]);
  });
});
