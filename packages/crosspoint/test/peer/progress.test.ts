import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_PROGRESS_RATE, ProgressReporter } from '../../src/peer/progress.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { proves } from '../requirements/proves.ts';
import { FakeSide, settled } from './fake-side.ts';

const burst = DEFAULT_PROGRESS_RATE.burst ?? DEFAULT_PROGRESS_RATE.perSecond;

function reporter(token: string | number = 't') {
  const clock = new ManualClock();
  const emitted: { progressToken: string | number; progress: number; total?: number; message?: string }[] = [];
  return { clock, emitted, reporter: new ProgressReporter(token, (params) => void emitted.push(params), clock) };
}

describe('reporting progress', () => {
  it.each([['t'], [''], [0], [7]])('echoes the token %j as it is', (token) => {
    const { reporter: progress, emitted } = reporter(token);
    progress.report({ progress: 1, total: 2, message: 'half' });
    expect(emitted).toStrictEqual([{ progressToken: token, progress: 1, total: 2, message: 'half' }]);
  });

  proves('L-PROGRESS-003, M-PROG-003').it(
    'only ever grows, whatever the author reports and with or without a total',
    () => {
      fc.assert(
        fc.property(
          fc.array(
            fc.tuple(
              fc.oneof(fc.double(), fc.integer({ min: -5, max: 5 })),
              fc.option(fc.integer(), { nil: undefined }),
              fc.nat(100),
            ),
          ),
          (reports) => {
            const { reporter: progress, emitted } = reporter();
            for (const [value, total] of reports)
              progress.report(total === undefined ? { progress: value } : { progress: value, total });
            progress.end();
            for (let i = 0; i < emitted.length; i += 1) {
              expect(Number.isFinite(emitted[i]?.progress)).toBe(true);
              if (i > 0) expect(emitted[i]?.progress).toBeGreaterThan(emitted[i - 1]?.progress ?? Number.NaN);
            }
          },
        ),
      );
    },
  );

  it('thins a flood, and the last value arrives before the end', () => {
    const { reporter: progress, emitted } = reporter();
    for (let i = 1; i <= 10_000; i += 1) progress.report({ progress: i });
    expect(emitted).toHaveLength(burst);
    progress.end();
    expect(emitted).toHaveLength(burst + 1);
    expect(emitted.at(-1)?.progress).toBe(10_000);
  });

  it('goes on at its rate after a flood, with the newest value', async () => {
    const { reporter: progress, emitted, clock } = reporter();
    for (let i = 1; i <= burst + 10; i += 1) progress.report({ progress: i });
    await clock.advance(1000 / DEFAULT_PROGRESS_RATE.perSecond);
    progress.report({ progress: 1000 });
    expect(emitted.at(-1)?.progress).toBe(1000);
    progress.end();
    expect(emitted).toHaveLength(burst + 1);
  });

  proves('L-PROGRESS-008').it('says nothing after the end', () => {
    const { reporter: progress, emitted } = reporter();
    progress.report({ progress: 1 });
    progress.end();
    progress.report({ progress: 2 });
    progress.end();
    expect(emitted).toHaveLength(1);
  });
});

describe('receiving progress', () => {
  const note = (params: unknown) => ({ jsonrpc: '2.0', method: 'notifications/progress', params });

  it('hands it to the caller, without members of the wrong type', () => {
    const side = new FakeSide();
    const seen: unknown[] = [];
    void settled(side.peer.request(1, 'm', undefined, { onprogress: (value) => seen.push(value) }));
    side.peer.receive(note({ progressToken: 1, progress: 1, total: 2, message: 'half' }));
    side.peer.receive(note({ progressToken: 1, progress: 1.5, total: '2', message: 7 }));
    expect(seen).toStrictEqual([{ progress: 1, total: 2, message: 'half' }, { progress: 1.5 }]);
  });

  it.each([
    [undefined],
    [{}],
    [{ progressToken: 1 }],
    [{ progressToken: 1, progress: '1' }],
    [{ progressToken: '1', progress: 1 }],
    [{ progressToken: {}, progress: 1 }],
  ])('ignores %j', (params) => {
    const side = new FakeSide();
    const seen: unknown[] = [];
    void settled(side.peer.request(1, 'm', undefined, { onprogress: (value) => seen.push(value) }));
    side.peer.receive(params === undefined ? { jsonrpc: '2.0', method: 'notifications/progress' } : note(params));
    expect(seen).toEqual([]);
    expect(side.problems).toEqual([]);
  });

  it('ignores what comes after the answer', async () => {
    const side = new FakeSide();
    const seen: unknown[] = [];
    const call = side.peer.request(1, 'm', undefined, { onprogress: (value) => seen.push(value) });
    side.peer.receive({ jsonrpc: '2.0', id: 1, result: {} });
    side.peer.receive(note({ progressToken: 1, progress: 1 }));
    await call;
    expect(seen).toEqual([]);
    expect(side.problems).toEqual([]);
  });

  it('survives a listener that throws', () => {
    const side = new FakeSide();
    const oops = new Error('oops');
    void settled(
      side.peer.request(1, 'm', undefined, {
        onprogress: () => {
          throw oops;
        },
      }),
    );
    side.peer.receive(note({ progressToken: 1, progress: 1 }));
    expect(side.problems).toEqual([oops]);
    expect(side.notifications).toHaveLength(1);
  });
});
