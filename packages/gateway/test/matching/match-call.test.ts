import { describe, expect, it } from 'vitest';
import { matchCall, type Matchable } from '../../src/matching/match-call.ts';
import type { OpenCall } from '../../src/matching/open-call.ts';
import { OpenCalls } from '../../src/matching/open-calls.ts';

const call = (ids: number[], more: Partial<Matchable> = {}): Matchable => ({
  ids,
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

describe('a question on the standing stream, which several calls could have asked', () => {
  const STANDING = { relatedRequestId: null, taskId: undefined };
  const never = new AbortController().signal;
  const opened = (...calls: Matchable[]): OpenCalls => new OpenCalls(calls as OpenCall[]);

  it('waits until one is left', async () => {
    const calls = opened(one, two, list);
    const asked = calls.askedBy(STANDING, { signal: never, forMs: 5000 });
    calls.delete(list as OpenCall);
    calls.delete(one as OpenCall);
    expect(await asked).toBe(two);
  });

  it('is of none where all end, its time is over, or the server withdraws it', async () => {
    const calls = opened(one, two);
    expect(await calls.askedBy(STANDING, { signal: never, forMs: 20 })).toBeUndefined();
    const over = new AbortController();
    const withdrawn = calls.askedBy(STANDING, { signal: over.signal, forMs: 5000 });
    over.abort();
    expect(await withdrawn).toBeUndefined();
    const left = calls.askedBy(STANDING, { signal: never, forMs: 5000 });
    calls.delete(two as OpenCall);
    calls.delete(one as OpenCall);
    expect(await left).toBeUndefined();
  });

  it('is one of a hundred that wait; a further one is of none', async () => {
    const calls = opened(one, two);
    const waiting = Array.from({ length: 100 }, () => calls.askedBy(STANDING, { signal: never, forMs: 5000 }));
    expect(await calls.askedBy(STANDING, { signal: never, forMs: 5000 })).toBeUndefined();
    calls.delete(two as OpenCall);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([one]));
  });

  it('over one channel is not waited for: nothing says that it was asked by a call at all', async () => {
    expect(await opened(one, two).askedBy(NOTHING, { signal: never, forMs: 5000 })).toBeUndefined();
  });
});
