import { describe, expect, it } from 'vitest';
import { matchCall, type Matchable } from '../../src/matching/match-call.ts';

const call = (ids: number[], more: Partial<Matchable> = {}): Matchable => ({
  ids: new Set(ids),
  taskId: undefined,
  mayBeAsked: true,
  ...more,
});
const one = call([1, 7]);
const two = call([2]);
const task = call([3], { taskId: 't', mayBeAsked: false });
const list = call([4], { mayBeAsked: false });
const NOTHING = { relatedRequestId: undefined, taskId: undefined };

describe('the call that a message of the server belongs to', () => {
  it.each([
    ['is that of the task which it names', { ...NOTHING, taskId: 't' }, [one, task], task],
    ['is none where it names a task that is not open', { ...NOTHING, taskId: 'u' }, [one], undefined],
    ['is that on whose stream it came, also under an earlier id', { ...NOTHING, relatedRequestId: 7 }, [two, one], one],
    [
      'is none where it came on the stream of a request that is over',
      { ...NOTHING, relatedRequestId: 9 },
      [one],
      undefined,
    ],
    ['is the only one that may be asked, on one channel', NOTHING, [list, one, task], one],
    [
      'is the only one that may be asked, on the standing stream',
      { ...NOTHING, relatedRequestId: null },
      [list, one],
      one,
    ],
    ['is none where several may be asked', NOTHING, [one, two], undefined],
    ['is none where none may be asked', NOTHING, [list, task], undefined],
  ] as const)('%s', (_what, belonging, open, expected) => {
    expect(matchCall(belonging, open)).toBe(expected);
  });
});
