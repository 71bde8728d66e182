import { describe, expect, test } from 'vitest';
import { ProblemReports } from '../../src/peer/problem-reports.ts';
import { ProtocolError, TransportError } from '../../src/protocol/errors.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

function reports(most?: number): { clock: ManualClock; told: Error[]; problems: ProblemReports } {
  const clock = new ManualClock();
  const told: Error[] = [];
  return { clock, told, problems: new ProblemReports(clock, (problem) => told.push(problem), most) };
}

const bad = (at: number): Error => new TransportError('bad-frame', `line ${at}`, { at });

describe('problems with one peer', () => {
  test('are told one by one, and in sum from the eleventh of a kind within ten seconds', async () => {
    const { clock, told, problems } = reports();
    for (let at = 1; at <= 170_363; at += 1) problems.report(bad(at));
    expect(told.map(({ message }) => message)).toEqual(Array.from({ length: 10 }, (_, at) => `line ${at + 1}`));
    await clock.advance(10_000);
    expect(told).toHaveLength(11);
    expect(told[10]).toMatchObject({
      code: 'bad-frame',
      message: '170353 more problems like this one within 10000 ms: line 170363',
      details: { at: 170_363, count: 170_353 },
      cause: { message: 'line 170363' },
    });
  });

  test('that go on are told in sum every ten seconds, and one by one again after a quiet time', async () => {
    const { clock, told, problems } = reports();
    for (let second = 0; second < 30; second += 1) {
      for (let at = 0; at < 1000; at += 1) problems.report(bad(at));
      await clock.advance(1000);
    }
    expect(told.map(({ message }) => message.includes('more problems'))).toEqual([
      ...Array.from({ length: 10 }, () => false),
      true,
      true,
      true,
    ]);
    await clock.advance(10_000);
    problems.report(bad(7));
    expect(told.at(-1)?.message).toBe('line 7');
  });

  test('are counted by kind, so that one does not hide another', () => {
    const { told, problems } = reports(1);
    for (let at = 0; at < 100; at += 1) problems.report(bad(at));
    problems.report(new ProtocolError('invalid-request', 'other'));
    problems.report(new TypeError('mine'));
    problems.report('a text');
    expect(told.map(({ message }) => message)).toEqual(['line 0', 'other', 'mine', 'a text']);
  });

  test('of any number of kinds take constant memory', async () => {
    const { clock, told, problems } = reports(1);
    for (let at = 0; at < 10_000; at += 1) problems.report(Object.assign(new Error('x'), { name: `Error${at}` }));
    expect(told).toHaveLength(33);
    await clock.advance(10_000);
    expect(told).toHaveLength(34);
  });

  test('that were only counted are told when it is over, once', async () => {
    const { clock, told, problems } = reports(1);
    problems.report(bad(1));
    problems.report(bad(2));
    problems.report(bad(3));
    problems.flush();
    problems.flush();
    await clock.advance(60_000);
    expect(told.map(({ message }) => message)).toEqual(['line 1', '2 more problems like this one within 0 ms: line 3']);
  });

  test('leave nothing behind that a program waits for, and fail nobody', () => {
    const problems = new ProblemReports(new ManualClock(), () => {
      throw new Error('listener');
    });
    for (let at = 0; at < 20; at += 1) expect(() => problems.report(bad(at))).not.toThrow();
    expect(() => problems.flush()).not.toThrow();
  });
});
