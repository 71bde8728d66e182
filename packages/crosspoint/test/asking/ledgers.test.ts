import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../../src/protocol/errors.ts';
import type { BroughtBack, Claimed, Ledger, RoundRun } from '../../src/server/asking/replay/ledger.ts';
import { OwnLedger } from '../../src/server/asking/replay/own-ledger.ts';
import { Round } from '../../src/server/asking/replay/round.ts';
import type { RoundRules } from '../../src/server/asking/replay/round-state.ts';
import { StoredLedger } from '../../src/server/asking/replay/stored-ledger.ts';
import { StoredRun, readCall } from '../../src/server/asking/replay/stored-run.ts';
import type { Settlement } from '../../src/server/asking/asker.ts';
import { LeftBehind } from '../../src/stores/left-behind.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { StoreUnavailableError } from '../../src/stores/store-unavailable-error.ts';
import type { Store } from '../../src/stores/store.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

const back = (round: number, answers = 'a', signal = new AbortController().signal): BroughtBack => ({
  call: 'c',
  round,
  answers,
  leftBy: 'ann',
  signal: () => signal,
});
const endOf = (state: 'asked' | 'done', outcome: object = { kind: 'complete', result: { x: 1 } }): never => {
  const kept = { state, outcome };
  return { kept, text: JSON.stringify(kept) } as never;
};
const isRun = (claimed: Claimed): claimed is RoundRun => !('settlement' in claimed);
async function runOf(ledger: Ledger, round: BroughtBack): Promise<RoundRun> {
  const claimed = await ledger.claim(round);
  if (!isRun(claimed)) throw new Error('The round is settled.');
  return claimed;
}

const LEDGERS: [string, (clock: ManualClock, ttlMs: number) => Ledger][] = [
  ['of one process', (clock, ttlMs) => new OwnLedger({ clock, ttlMs, leftBehind: new LeftBehind() })],
  [
    'of all that share a store',
    (clock, ttlMs) =>
      new StoredLedger({ store: memoryStore({ now: () => clock.now() }), clock, ttlMs, singleUse: false }),
  ],
];

describe.each(LEDGERS)('the ledger %s', (_name, make) => {
  it('gives a round to one run, and its outcome to every copy', async () => {
    const ledger = make(new ManualClock(), 1000);
    await ledger.open('c', 'ann');
    const run = await runOf(ledger, back(1));
    expect([run.steps, run.isLost]).toEqual([{}, false]);
    await run.beginStep('s');
    await run.finishStep('s', { v: 1 } as never);
    let isTold = false;
    const copy = (async () => ledger.claim(back(1)))().then((claimed) => ((isTold = true), claimed));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(isTold).toBe(false);
    expect(await run.end(endOf('done'))).toBe(true);
    const settled = { settlement: { kind: 'outcome', outcome: { result: { x: 1 } } }, steps: { s: { v: 1 } } };
    expect(await copy).toMatchObject(settled);
    expect(await ledger.claim(back(1))).toMatchObject(settled);
    await expect((async () => ledger.claim(back(1, 'b')))()).rejects.toThrow('with other answers');
    await expect((async () => ledger.claim(back(2)))()).rejects.toThrow('it was used before.');
  });

  it('goes on after a round that asked, with no steps of it', async () => {
    const ledger = make(new ManualClock(), 1000);
    await ledger.open('c', 'ann');
    const first = await runOf(ledger, back(1));
    await first.finishStep('s', { v: 1 } as never);
    await first.end(endOf('asked', { kind: 'input-required' }));
    const second = await runOf(ledger, back(2));
    expect(second.steps).toEqual({});
    await second.end(endOf('done'));
    await expect((async () => ledger.claim(back(1)))()).rejects.toThrow('it was used before.');
  });

  it('keeps the steps of a run without an outcome for the next', async () => {
    const ledger = make(new ManualClock(), 1000);
    await ledger.open('c', 'ann');
    const run = await runOf(ledger, back(1));
    await run.finishStep('s', { v: 1 } as never);
    expect(await run.end()).toBe(true);
    const again = await runOf(ledger, back(1));
    expect(again.steps).toEqual({ s: { v: 1 } });
    await again.finishStep('t', { v: 2 } as never);
    expect(again.steps).toEqual({ s: { v: 1 }, t: { v: 2 } });
  });

  it('knows no call that was not opened, and none after its time', async () => {
    const clock = new ManualClock();
    const ledger = make(clock, 5000);
    await expect((async () => ledger.claim(back(1)))()).rejects.toThrow('not known here any more');
    await ledger.open('c', 'ann');
    await clock.advance(5000);
    const run = await runOf(ledger, back(1));
    await run.end(endOf('done'));
    await clock.advance(5000);
    expect(isRun(await ledger.claim(back(1)))).toBe(false);
    await clock.advance(1001);
    await expect((async () => ledger.claim(back(1)))()).rejects.toThrow('not known here any more');
  });

  it('ends the wait of a copy whose client left', async () => {
    const ledger = make(new ManualClock(), 1000);
    await ledger.open('c', 'ann');
    const run = await runOf(ledger, back(1));
    const left = new AbortController();
    const copy = (async () => ledger.claim(back(1, 'a', left.signal)))();
    left.abort(new Error('left'));
    await expect(copy).rejects.toThrow('left');
    await run.end();
  });
});

describe('the ledger of one process', () => {
  it('counts what it keeps for the caller, and forgets the oldest calls beyond the limit', async () => {
    const clock = new ManualClock();
    const leftBehind = new LeftBehind({ maxBytes: 10_000, maxBytesPerCaller: 1600 });
    const ledger = new OwnLedger({ clock, ttlMs: 1000, leftBehind });
    ledger.open('c', 'ann');
    expect(leftBehind.bytesOf('ann')).toBe(500);
    const run = await runOf(ledger, back(1));
    void run.finishStep('s', { v: 1 } as never);
    const end = endOf('done') as { text: string };
    void run.end(end as never);
    expect(leftBehind.bytesOf('ann')).toBe(500 + end.text.length + '{"s":{"v":1}}'.length);
    const plain = { ...back(1), call: 'd' };
    ledger.open('d', 'ann');
    void (await runOf(ledger, plain)).end(end as never);
    expect(leftBehind.bytesOf('ann')).toBe(1000 + 2 * end.text.length + '{"s":{"v":1}}'.length);
    ledger.open('e', 'ann');
    ledger.open('f', 'ann');
    expect(() => ledger.claim(back(1))).toThrow('not known here any more');
    expect(isRun(await ledger.claim(plain))).toBe(false);
  });

  it('gives the room of expired calls back when another is opened', async () => {
    const clock = new ManualClock();
    const leftBehind = new LeftBehind();
    const ledger = new OwnLedger({ clock, ttlMs: 1000, leftBehind });
    ledger.open('one', 'ann');
    await clock.advance(600);
    ledger.open('two', 'ann');
    expect(leftBehind.bytesOf('ann')).toBe(1000);
    await clock.advance(401);
    ledger.open('three', 'bob');
    expect([leftBehind.bytesOf('ann'), leftBehind.bytesOf('bob')]).toEqual([500, 500]);
    ledger.open('three', 'bob');
    expect(leftBehind.bytesOf('bob')).toBe(500);
  });

  it('gives each copy an outcome of its own', async () => {
    const ledger = new OwnLedger({ clock: new ManualClock(), ttlMs: 1000, leftBehind: new LeftBehind() });
    ledger.open('c', 'ann');
    void (await runOf(ledger, back(1))).end(endOf('done'));
    const [one, two] = [await ledger.claim(back(1)), await ledger.claim(back(1))];
    expect(one).toEqual(two);
    expect((one as { settlement: object }).settlement).not.toBe((two as { settlement: object }).settlement);
  });
});

describe('the ledger of a store', () => {
  it('refuses a second use where states may be used once', async () => {
    const clock = new ManualClock();
    const store = memoryStore({ now: () => clock.now() });
    const ledger = new StoredLedger({ store, clock, ttlMs: 1000, singleUse: true });
    await ledger.open('c', 'ann');
    await (await runOf(ledger, back(1))).end(endOf('done'));
    await expect(ledger.claim(back(1))).rejects.toThrow('it was used before.');
  });

  it('keeps a record for a second longer than its state, under the name of the call', async () => {
    const clock = new ManualClock();
    const options: unknown[] = [];
    const store = memoryStore({ now: () => clock.now() });
    const put = store.put.bind(store);
    store.put = (key, value, given) => (options.push([key, value, given]), put(key, value, given));
    await new StoredLedger({ store, clock, ttlMs: 1000, singleUse: false }).open('c', 'ann');
    expect(options).toEqual([['asking:c', { n: 0 }, { ttlMs: 2000, leftBy: 'ann' }]]);
  });

  it.each([undefined, 5, 'x', [], {}, { n: '1' }])('knows no call in %j', (value) => {
    expect(readCall(value as never)).toBeUndefined();
    expect(readCall({ n: 1, a: 'a' })).toEqual({ n: 1, a: 'a' });
  });
});

describe('a run in a store', () => {
  interface Opened {
    readonly run: StoredRun;
    readonly store: Store;
    readonly lost: AbortController;
    readonly left: () => number;
  }
  async function opened(clock = new ManualClock(), withLease = true): Promise<Opened> {
    const store = memoryStore({ now: () => clock.now() });
    const lost = new AbortController();
    let count = 0;
    const turn = {
      ...(withLease && { lease: { lost: lost.signal } }),
      leave: async () => void (count += 1),
    } as never;
    const setup = { store, clock, key: 'asking:c', turn, ttlMs: 1000, leftBy: 'ann' };
    return { run: new StoredRun({ n: 1, a: 'a', by: 'me' }, setup), store, lost, left: () => count };
  }

  it('begins only where the record is as it was read, and gives its turn back otherwise', async () => {
    const { run, store, left } = await opened();
    const version = (await store.put('asking:c', { n: 0 })) ?? '';
    expect(await run.begin(null)).toBe(false);
    expect(left()).toBe(1);
    expect(await run.begin(version)).toBe(true);
    expect(left()).toBe(1);
    expect((await store.get('asking:c'))?.value).toEqual({ n: 1, a: 'a', by: 'me' });
  });

  it('gives its turn back where the store fails', async () => {
    const { run, store, left } = await opened();
    store.put = () => Promise.reject(new Error('broken'));
    await expect(run.begin(null)).rejects.toThrow('broken');
    expect(left()).toBe(1);
  });

  it('is lost with its lease, or when another run has written the record', async () => {
    const first = await opened();
    expect(first.run.isLost).toBe(false);
    first.lost.abort();
    expect(first.run.isLost).toBe(true);
    const { run, store, left } = await opened(undefined, false);
    await run.begin(null);
    expect(run.isLost).toBe(false);
    await store.put('asking:c', { n: 1, a: 'a', by: 'another' });
    expect(await run.end(endOf('done'))).toBe(false);
    expect([run.isLost, left()]).toEqual([true, 1]);
    expect((await store.get('asking:c'))?.value).toMatchObject({ by: 'another' });
  });

  it('writes again what was forgotten, or written though the store reported an error', async () => {
    const { run, store } = await opened();
    await run.begin(null);
    await store.delete('asking:c');
    expect(await run.end(endOf('done'))).toBe(true);
    expect((await store.get('asking:c'))?.value).toMatchObject({ by: 'me', end: { state: 'done' } });
    const again = await opened();
    await again.run.begin(null);
    await again.store.put('asking:c', { n: 1, a: 'a', by: 'me', s: {} });
    expect(await again.run.end(endOf('done'))).toBe(true);
    expect((await again.store.get('asking:c'))?.value).toMatchObject({ end: { state: 'done' } });
  });

  it('does not begin a step twice that must not run twice', async () => {
    const { run, store } = await opened();
    await run.begin(null);
    await run.beginStep('pay');
    expect((await store.get('asking:c'))?.value).toMatchObject({ s: { pay: null } });
    await expect(run.beginStep('pay')).rejects.toMatchObject({
      kind: 'internal',
      message:
        'The outcome of the step "pay" is unknown: it had begun before and there is no result, because it was interrupted.',
      data: { step: 'pay', outcome: 'unknown' },
    });
    await run.beginStep('toString');
    await store.put('asking:c', { n: 1, a: 'a', by: 'another' });
    await expect(run.beginStep('other')).rejects.toThrow('The outcome of the step "other" is unknown');
  });

  it('says of a step that had to be known that its result was not kept', async () => {
    const { run, store } = await opened();
    await run.begin(null);
    await run.beginStep('pay');
    const broken = new Error('broken');
    store.put = () => Promise.reject(broken);
    await expect(run.finishStep('pay', { v: 1 } as never)).rejects.toMatchObject({
      message: 'The outcome of the step "pay" is unknown: it ran, but its result could not be kept.',
      cause: broken,
    });
    await expect(run.finishStep('plain', { v: 1 } as never)).rejects.toBe(broken);
  });

  it('notes no step after its end', async () => {
    const { run, store } = await opened();
    await run.begin(null);
    await run.end();
    const before = await store.get('asking:c');
    await run.finishStep('late', { v: 1 } as never);
    expect(await store.get('asking:c')).toEqual(before);
    await run.beginStep('later');
    expect(run.steps).toEqual({});
  });

  it('waits for a store that cannot be reached, and gives up one that never takes a write', async () => {
    const clock = new ManualClock();
    const { run, store } = await opened(clock);
    await run.begin(null);
    const put = store.put.bind(store);
    let tries = 0;
    store.put = (...all) => ((tries += 1) === 1 ? Promise.reject(new StoreUnavailableError('down')) : put(...all));
    const ending = run.end(endOf('done'));
    await clock.advance(1000);
    expect(await ending).toBe(true);
    const second = await opened();
    await second.run.begin(null);
    second.store.put = async () => undefined;
    await expect(second.run.end(endOf('done'))).rejects.toThrow('1000 times in a row');
  });
});

describe('a round', () => {
  const outcome = (kind: string, more: object = {}): Settlement =>
    ({ kind: 'outcome', outcome: { kind, ...more } }) as never;
  const done = outcome('complete', { result: { x: 1 } });
  const asked = outcome('input-required');
  const idle = async (): Promise<void> => {};
  const STATE = { c: 'c', n: 1, x: 0, t: '', j: {}, p: { q: 'd', r: 'd' } };

  interface Fake extends Ledger {
    readonly opened: unknown[];
    readonly claims: BroughtBack[];
  }
  function fakeLedger(claims: readonly Claimed[], whenOpened?: Promise<void>): Fake {
    const left = [...claims];
    const seen: BroughtBack[] = [];
    const opened: unknown[] = [];
    return {
      opened,
      claims: seen,
      open: (...all) => (opened.push(all), whenOpened),
      claim: (brought) => {
        seen.push(brought);
        const next = left.shift();
        if (next === undefined) throw new Error('Nothing is left.');
        return next;
      },
    };
  }
  function fakeRun(
    results: readonly boolean[] = [true],
    isLost = false,
  ): RoundRun & { readonly ends: unknown[]; readonly notes: string[] } {
    const [ends, notes] = [[] as unknown[], [] as string[]];
    const left = [...results];
    return {
      ends,
      notes,
      steps: {},
      isLost,
      beginStep: async (name) => void notes.push(`begin ${name}`),
      finishStep: (name) => void notes.push(`finish ${name}`),
      end: (end) => (ends.push(end), left.shift() ?? true),
    };
  }
  const roundOf = (ledger: Ledger | undefined, answers: object | undefined = {}, state: unknown = STATE): Round => {
    const rules = { ledger, leftBy: 'ann', signal: () => new AbortController().signal } as unknown as RoundRules;
    return new Round(rules, 'c', state as never, answers && ({ state: 's', answers } as never));
  };

  it('is claimed with the answers to what was asked, in any order, long ones by a digest', () => {
    const answersOf = (answers: object): string => {
      const ledger = fakeLedger([fakeRun()]);
      void roundOf(ledger, answers).claim();
      expect(ledger.claims[0]).toMatchObject({ call: 'c', round: 1, leftBy: 'ann' });
      return ledger.claims[0]?.answers ?? '';
    };
    expect(answersOf({ r: { b: 1, a: 2 }, q: { x: 1 }, unasked: { y: 1 } })).toBe('{"q":{"x":1},"r":{"a":2,"b":1}}');
    expect(answersOf({ q: 'no object', toString: {} })).toBe('{}');
    const long = (length: number): string => answersOf({ q: { a: 'x'.repeat(length - '{"q":{"a":""}}'.length) } });
    expect(long(100)).toHaveLength(100);
    expect(long(101)).toMatch(/^[\da-f]{32}$/);
  });

  it('is claimed by nobody that brings no state, or where there is no ledger', () => {
    const ledger = fakeLedger([]);
    const rules = { ledger, leftBy: 'ann' } as unknown as RoundRules;
    expect(new Round(rules, 'c', undefined, undefined).claim()).toBeUndefined();
    expect(new Round(rules, 'c', STATE, undefined).claim()).toBeUndefined();
    expect(roundOf(undefined).claim()).toBeUndefined();
    expect(roundOf(undefined).settle(asked, false, idle)).toBeUndefined();
    expect(ledger.claims).toEqual([]);
  });

  it('gives a recorded outcome on, at once or later, and then records nothing', async () => {
    const settled = { settlement: done, steps: {} };
    const round = roundOf(fakeLedger([settled]));
    expect(round.claim()).toBe(settled);
    expect(round.settle(asked, false, idle)).toBeUndefined();
    await round.release();
    const late = { ...fakeLedger([]), claim: async () => settled };
    expect(await roundOf(late).claim()).toBe(settled);
  });

  it('records a call that has asked for the first time, and no other', async () => {
    const opens = (settlement: Settlement, whenOpened?: Promise<void>): unknown => {
      const ledger = fakeLedger([], whenOpened);
      const rules = { ledger, leftBy: 'ann' } as unknown as RoundRules;
      const settling = new Round(rules, 'c', undefined, undefined).settle(settlement, false, idle);
      return [ledger.opened, settling];
    };
    expect(opens(asked)).toEqual([[['c', 'ann']], undefined]);
    expect(opens(done)).toEqual([[], undefined]);
    expect(opens({ kind: 'failed', error: new Error('x') } as never)).toEqual([[], undefined]);
    const [, settling] = opens(asked, Promise.resolve()) as [unknown, Promise<Settlement>];
    expect(await settling).toBe(asked);
  });

  it('records steps around their work, and takes none where another process has it', async () => {
    const run = fakeRun();
    const round = roundOf(fakeLedger([run]));
    void round.claim();
    const record = { v: 1 } as never;
    expect(await round.step('plain', async () => (run.notes.push('work'), record), undefined)).toBe(record);
    await round.step('strict', async () => (run.notes.push('work'), record), { interrupted: 'fail' });
    expect(run.notes).toEqual(['work', 'finish plain', 'begin strict', 'work', 'finish strict']);
    const lost = roundOf(fakeLedger([fakeRun([true], true)]));
    void lost.claim();
    await expect(lost.step('s', async () => record, undefined)).rejects.toMatchObject({
      code: 'aborted',
      message: 'Another process has taken over this call.',
    });
    const without = roundOf(undefined);
    expect(await without.step('s', async () => record, { interrupted: 'fail' })).toBe(record);
  });

  it('records its outcome without a wait, or none where it may run again', async () => {
    const settled = (
      settlement: Settlement,
      aborted = false,
      run = fakeRun(),
    ): [Promise<Settlement> | undefined, unknown[]] => {
      const round = roundOf(fakeLedger([run]));
      void round.claim();
      return [round.settle(settlement, aborted, idle), run.ends];
    };
    const kept = { state: 'done', outcome: { kind: 'complete', result: { x: 1 } } };
    expect(settled(done)).toEqual([undefined, [{ kept, text: JSON.stringify(kept) }]]);
    const failed: Settlement = { kind: 'failed', error: new ProtocolError('internal', 'm') } as never;
    expect(settled(failed)[1]).toMatchObject([{ kept: { state: 'failed' } }]);
    for (const [settlement, aborted, run] of [
      [failed, true, fakeRun()],
      [failed, false, fakeRun([true], true)],
      [{ kind: 'failed', error: new ProtocolError('rate-limited', 'm') } as never, false, fakeRun()],
    ] as const) {
      const [settling, ends] = settled(settlement, aborted, run);
      expect(await settling).toBe(settlement);
      expect(ends).toEqual([undefined]);
    }
    // A result that came although the call was cancelled is one.
    expect(settled(done, true)[1]).toMatchObject([{ kept }]);
  });

  it('waits for running steps before it lets another run begin', async () => {
    let go = (): void => {};
    const waiting = new Promise<void>((resolve) => (go = resolve));
    const again = fakeRun();
    const second = roundOf(fakeLedger([again]));
    void second.claim();
    const failed: Settlement = { kind: 'failed', error: new Error('x') } as never;
    const later = second.settle(failed, true, () => waiting);
    await Promise.resolve();
    expect(again.ends).toEqual([]);
    go();
    expect(await later).toBe(failed);
    expect(again.ends).toEqual([undefined]);
  });

  it('gives the client the outcome of the process that took over, or its own where that has none', async () => {
    const theirs = { settlement: asked, steps: {} };
    const taken = roundOf(fakeLedger([fakeRun([false]), theirs]));
    void taken.claim();
    expect(await taken.settle(done, false, idle)).toBe(asked);
    const other = fakeRun([false]);
    const third = fakeRun([true]);
    const round = roundOf(fakeLedger([fakeRun([false]), other, third]));
    void round.claim();
    expect(await round.settle(done, false, idle)).toBe(done);
    expect(other.ends).toEqual(third.ends);
    expect(third.ends).toMatchObject([{ kept: { state: 'done' } }]);
  });

  it('records an outcome of 256 KiB, no longer one, and questions of any length', () => {
    const endOfRound = (settlement: Settlement): unknown => {
      const run = fakeRun();
      const round = roundOf(fakeLedger([run]));
      void round.claim();
      void round.settle(settlement, false, async () => {});
      return run.ends;
    };
    const empty = JSON.stringify({ state: 'done', outcome: { kind: 'complete', result: { x: '' } } }).length;
    const long = (length: number): Settlement => outcome('complete', { result: { x: 'y'.repeat(length - empty) } });
    const most = 256 * 1024;
    expect(endOfRound(long(most))).toMatchObject([{ kept: { state: 'done' } }]);
    expect(endOfRound(long(most + 1))).toEqual([]);
    expect(endOfRound(outcome('input-required', { x: 'y'.repeat(most) }))).toMatchObject([
      { kept: { state: 'asked' } },
    ]);
    expect(endOfRound(outcome('complete', { result: { x: 1n } }))).toMatchObject([{ kept: { state: 'failed' } }]);
  });

  it('that is released may be run by the next copy', async () => {
    const run = fakeRun();
    const round = roundOf(fakeLedger([run]));
    await round.release();
    expect(run.ends).toEqual([]);
    void round.claim();
    await round.release();
    expect(run.ends).toEqual([undefined]);
  });
});
