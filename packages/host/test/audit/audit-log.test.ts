import { createSecret } from 'crosspoint';
import type { Store } from 'crosspoint/stores';
import { beforeEach, describe, expect, it } from 'vitest';
import { AuditLog, type AuditLogOptions } from '../../src/audit/audit-log.ts';
import { entryKey, headKey } from '../../src/audit/chain.ts';
import { Seal } from '../../src/audit/seal.ts';
import { bodyOf, sealedHead } from '../../src/audit/entry.ts';
import type { AuditEntry } from '../../src/audit/event.ts';
import { verifyExport } from '../../src/audit/verify.ts';
import type { Json } from '../../src/values/json.ts';
import { STORES, openTwice } from '../stores.ts';

const PLACE = { name: 'audit' } as never;
const entryOf = (sequence: number): string => entryKey(PLACE, sequence);
const HEAD = headKey(PLACE);

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function valueOf<T>(store: Store, key: string): Promise<T> {
  return (await store.get(key))?.value as T;
}

describe.each(STORES)('an audit log in %s', (name) => {
  let store: Store;
  let other: Store;
  let problems: string[];
  let made: (options?: Partial<AuditLogOptions>) => AuditLog;
  beforeEach(() => {
    [store, other] = openTwice(name);
    problems = [];
    made = (options = {}) =>
      new AuditLog({ store, onproblem: (error) => void problems.push(error.message), retryMs: 5, ...options });
  });

  /** A log of so many events, settled. */
  async function filled(count: number, options: Partial<AuditLogOptions> = {}): Promise<AuditLog> {
    const log = made(options);
    for (let i = 1; i <= count; i++)
      log.write({ type: i % 2 ? 'call' : 'result', server: `s${i % 3}`, details: { i } });
    expect(await log.flush()).toBe(true);
    return log;
  }

  it('keeps events in the order in which they were written, each with the hash of the one before', async () => {
    const log = await filled(70);
    const entries = await all(log.read());
    expect(entries.map(({ event }) => event.details['i'])).toEqual(Array.from({ length: 70 }, (_, index) => index + 1));
    expect(entries.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 70 }, (_, index) => index + 1));
    expect(entries.slice(1).every(({ previous }, index) => previous === entries[index]?.hash)).toBe(true);
    expect(entries[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(await log.verify()).toEqual({ ok: true, entries: 70, problems: [] });
    expect(problems).toEqual([]);
  });

  it('is empty before anything is written', async () => {
    const log = made();
    expect(await all(log.read())).toEqual([]);
    expect(await log.verify()).toEqual({ ok: true, entries: 0, problems: [] });
    expect(await log.anchor()).toBeUndefined();
    expect(await verifyExport(await all(log.export()))).toEqual({ ok: true, entries: 0, problems: [] });
  });

  it('is read by number, type and server', async () => {
    const log = await filled(12);
    const numbers = async (filter: Parameters<AuditLog['read']>[0]): Promise<number[]> =>
      (await all(log.read(filter))).map(({ sequence }) => sequence);
    expect(await numbers({ from: 4, to: 6 })).toEqual([4, 5, 6]);
    expect(await numbers({ from: -3, to: 2 })).toEqual([1, 2]);
    expect(await numbers({ from: 11, to: 99 })).toEqual([11, 12]);
    expect(await numbers({ type: 'result', server: 's1' })).toEqual([4, 10]);
    expect(await numbers({ from: 20 })).toEqual([]);
  });

  it('goes on where another process or an earlier run has stopped', async () => {
    await (await filled(3)).close();
    const later = made({ store: other });
    later.write({ type: 'call', details: {} });
    expect(await later.verify()).toEqual({ ok: true, entries: 4, problems: [] });
    expect((await all(later.read({ from: 4 })))[0]?.previous).toBe((await all(later.read({ from: 3 })))[0]?.hash);
  });

  it('stays one chain when several write at once', async () => {
    const logs = [made(), made({ store: other }), made(), made({ store: other })];
    for (let i = 0; i < 40; i++) {
      for (const [writer, log] of logs.entries()) log.write({ type: 'call', details: { writer, i } });
      if (i % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(await Promise.all(logs.map((log) => log.flush(30_000)))).toEqual([true, true, true, true]);
    expect(await made().verify()).toEqual({ ok: true, entries: 160, problems: [] });
    const entries = await all(made().read());
    for (const writer of [0, 1, 2, 3]) {
      const own = entries.filter(({ event }) => event.details['writer'] === writer);
      expect(own.map(({ event }) => event.details['i'])).toEqual(Array.from({ length: 40 }, (_, index) => index));
    }
    expect(problems).toEqual([]);
  });

  it('is found whole by a reader while others write', async () => {
    const writers = [made(), made({ store: other })];
    const progress = { isOver: false };
    const writing = writers.map(async (log) => {
      for (let i = 0; i < 24; i++) {
        log.write({ type: 'call', details: { i } });
        if (i % 3 === 0) await log.flush(30_000);
      }
      await log.flush(30_000);
    });
    void Promise.all(writing).then(() => (progress.isOver = true));
    let rounds = 0;
    for (; !progress.isOver || rounds < 3; rounds++) {
      expect(await made().verify()).toMatchObject({ ok: true, problems: [] });
      expect(await verifyExport(made({ store: other }).export())).toMatchObject({ ok: true, problems: [] });
      // A store in memory answers without a turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await made().verify()).entries).toBe(48);
    expect(problems).toEqual([]);
  });

  describe('that somebody tampered with', () => {
    const change = async (sequence: number, with_: (entry: AuditEntry) => unknown): Promise<void> => {
      const entry = await valueOf<AuditEntry>(store, entryOf(sequence));
      await store.put(entryOf(sequence), with_(entry) as Json);
    };
    const rehashed = (entry: AuditEntry): AuditEntry => ({ ...entry, hash: new Seal().make(bodyOf(entry)) });
    const lie = (entry: AuditEntry): AuditEntry => ({ ...entry, event: { ...entry.event, details: { i: 'lie' } } });

    it.each<[string, () => Promise<void>, number, RegExp]>([
      ['changed', () => change(3, lie), 3, /was changed/],
      ['changed with its hash', () => change(3, (entry) => rehashed(lie(entry))), 4, /does not follow/],
      [
        'changed at the end with its hash',
        () => change(6, (entry) => rehashed(lie(entry))),
        6,
        /not the one that the head/,
      ],
      ['dated back', () => change(2, (entry) => ({ ...entry, at: '2001-01-01T00:00:00.000Z' })), 2, /was changed/],
      ['removed', async () => void (await store.delete(entryOf(3))), 3, /is missing/],
      ['removed at the beginning', async () => void (await store.delete(entryOf(1))), 1, /is missing/],
      ['removed at the end', async () => void (await store.delete(entryOf(6))), 6, /is missing/],
      ['replaced by rubbish', async () => void (await store.put(entryOf(4), 'rubbish')), 4, /cannot be read/],
      [
        'inserted behind the end',
        () =>
          change(6, (entry) =>
            store
              .put(entryOf(7), rehashed({ ...entry, sequence: 7, previous: entry.hash }) as unknown as Json)
              .then(() => entry),
          ),
        7,
        /behind the end/,
      ],
    ])('an entry that was %s is found', async (_what, tamper, sequence, message) => {
      const log = await filled(6);
      await tamper();
      const report = await log.verify();
      expect(report.ok).toBe(false);
      expect(report.problems).toContainEqual({ sequence, what: expect.stringMatching(message) });
    });

    it('entries that changed places are found', async () => {
      const log = await filled(6);
      const [three, four] = [await valueOf<Json>(store, entryOf(3)), await valueOf<Json>(store, entryOf(4))];
      await store.put(entryOf(3), four);
      await store.put(entryOf(4), three);
      const { ok, problems: found } = await log.verify();
      expect(ok).toBe(false);
      expect(found.map(({ sequence, what }) => [sequence, /not in its place/.test(what)])).toEqual([
        [3, true],
        [4, true],
      ]);
    });

    it('a head that was removed or set back is found, told by the next writer, and does not make it overwrite anything', async () => {
      const log = await filled(6);
      const third = await valueOf<AuditEntry>(store, entryOf(3));
      const back = sealedHead(third, [], new Seal());
      for (const tamper of [() => store.put(HEAD, back as unknown as Json), () => store.delete(HEAD)]) {
        const before = (await all(log.read())).length;
        await tamper();
        expect((await log.verify()).ok).toBe(false);
        const fresh = made({ store: other });
        fresh.write({ type: 'call', details: { after: true } });
        await fresh.flush();
        expect(problems.join()).toContain('The head of the log was set back');
        problems.length = 0;
        const entries = await all(fresh.read());
        expect(entries.length).toBe(before + 2);
        expect(entries.at(-1)?.event).toMatchObject({
          type: 'audit',
          details: { problem: expect.stringContaining('set back') },
        });
        expect((await fresh.verify()).ok).toBe(true);
      }
    });

    it('an end that was cut off with its head is told by the process that wrote it, and found by an anchor', async () => {
      const log = await filled(6);
      const anchor = await log.anchor();
      const third = await valueOf<AuditEntry>(store, entryOf(3));
      for (const sequence of [4, 5, 6]) await store.delete(entryOf(sequence));
      await store.put(HEAD, sealedHead(third, [], new Seal()) as unknown as Json);
      expect((await log.verify()).ok).toBe(true);
      const report = await log.verify(anchor && { anchor });
      expect(report.problems).toEqual([
        { sequence: 6, what: expect.stringContaining('the end of the log was removed') },
      ]);
      log.write({ type: 'call', details: {} });
      await log.flush();
      expect(problems.join()).toContain('Entry 6 was removed or changed after it was written');
      expect((await all(log.read({ type: 'audit' }))).length).toBe(1);
    });

    it('a chain that was written anew is found by an anchor, and by the secret', async () => {
      const secret = createSecret();
      const rewrite = async (options: Partial<AuditLogOptions>): Promise<AuditLog> => {
        for (let sequence = 1; sequence <= 6; sequence++) await store.delete(entryOf(sequence));
        await store.delete(HEAD);
        const forger = made({ store: other });
        for (let i = 1; i <= 6; i++) forger.write({ type: 'call', details: { i: 'lie' } });
        await forger.close();
        return made(options);
      };
      const plain = await filled(6);
      const anchor = await plain.anchor();
      const forged = await rewrite({});
      expect((await forged.verify()).ok).toBe(true);
      expect((await forged.verify(anchor && { anchor })).problems[0]?.what).toContain('the log was written anew');
      await rewrite({ keys: [secret] });
      const sealed = made({ keys: [secret] });
      const { problems: found } = await sealed.verify();
      expect(found).toEqual([
        { sequence: 1, what: expect.stringContaining('and all up to 6 were written without the secret') },
      ]);
    });

    it('a log with a secret is checked with it alone, and its head cannot be moved without', async () => {
      const [secret, old] = [createSecret(), createSecret()];
      await (await filled(3, { keys: [old] })).close();
      const log = await filled(3, { keys: [secret, old] });
      expect(await log.verify()).toEqual({ ok: true, entries: 6, problems: [] });
      expect((await made().verify()).problems).toMatchObject([
        { sequence: 1, what: expect.stringContaining('a secret that was not given') },
      ]);
      expect((await made({ keys: [secret] }).verify()).ok).toBe(false);
      const third = await valueOf<AuditEntry>(store, entryOf(3));
      for (const sequence of [4, 5, 6]) await store.delete(entryOf(sequence));
      await store.put(HEAD, sealedHead(third, [], new Seal()) as unknown as Json);
      expect((await log.verify()).problems).toMatchObject([{ what: expect.stringContaining('a wrong seal') }]);
      expect(() => made({ keys: ['short'] })).toThrow(/has 5 bytes, a secret has at least 32/);
    });
  });

  it('is exported as lines, which are checked without the store', async () => {
    const log = await filled(5);
    const lines = await all(log.export());
    expect(lines).toHaveLength(6);
    const anchor = await log.anchor();
    expect(await verifyExport(lines, anchor && { anchor })).toEqual({ ok: true, entries: 5, problems: [] });
    expect(await verifyExport(log.export())).toMatchObject({ ok: true });
    const [one = '', two = '', three = '', four = '', five = '', head = ''] = lines;
    const faulty: readonly (readonly [string, readonly string[]])[] = [
      ['changed', [one, two.replace('"i":2', '"i":7'), three, four, five, head]],
      ['removed', [one, three, four, five, head]],
      ['removed first', [two, three, four, five, head]],
      ['reordered', [one, three, two, four, five, head]],
      ['doubled', [one, two, two, three, four, five, head]],
      ['inserted', [one, two, three.replace('"sequence":3', '"sequence":2'), three, four, five, head]],
      ['cut', [one, two, three]],
      ['cut with the head', [one, two, three, head]],
      ['cut within a line', [one, two, three, four, five.slice(0, 40), head]],
      ['continued', [...lines, one]],
      ['not JSON', [one, two, three, four, five, 'x', head]],
      ['empty', []],
    ];
    for (const [what, changed] of faulty) expect([what, (await verifyExport(changed)).ok]).toEqual([what, false]);
  });

  it('has a finding for every single change of an export', async () => {
    const lines = await all((await filled(4)).export());
    for (let line = 0; line < lines.length; line++) {
      const text = lines[line] ?? '';
      for (let at = 0; at < text.length; at += 3) {
        const changed = `${text.slice(0, at)}${text[at] === '7' ? '8' : '7'}${text.slice(at + 1)}`;
        const report = await verifyExport(lines.with(line, changed));
        expect([changed, report.ok]).toEqual([changed, false]);
      }
    }
  });
});
