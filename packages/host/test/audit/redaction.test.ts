import { memoryStore } from 'crosspoint/stores';
import { describe, expect, it } from 'vitest';
import { AuditLog, type AuditLogOptions } from '../../src/audit/audit-log.ts';
import type { AuditEvent } from '../../src/audit/event.ts';
import { digestOf } from '../../src/values/digest.ts';
import type { JsonObject } from '../../src/values/json.ts';

/** Writes one event and returns it as it stands in the log, with everything that the store has as text. */
async function kept(
  event: unknown,
  options: Partial<AuditLogOptions> = {},
): Promise<{ event: AuditEvent; text: string; problems: string[] }> {
  const store = memoryStore();
  const problems: string[] = [];
  const log = new AuditLog({ store, onproblem: (error) => void problems.push(error.message), ...options });
  log.write(event as AuditEvent);
  expect(await log.flush()).toBe(true);
  const records = await Promise.all((await store.keys('')).map((key) => store.get(key)));
  const entries: AuditEvent[] = [];
  for await (const entry of log.read()) entries.push(entry.event);
  expect((await log.verify()).ok).toBe(true);
  return { event: entries[0] as AuditEvent, text: JSON.stringify(records), problems };
}

describe('secrets', () => {
  it.each<[string, JsonObject, string]>([
    ['the name of a member', { arguments: { password: 'hunter2-hunter2' } }, 'hunter2-hunter2'],
    ['the name of a member deep inside', { a: [{ b: { apiKey: 'abc123xyz' } }] }, 'abc123xyz'],
    ['the form of a token', { text: 'use ghp_0123456789abcdefghij please' }, 'ghp_0123456789abcdefghij'],
    ['a header', { text: 'Authorization: Bearer abcdef123456' }, 'abcdef123456'],
    ['an address', { url: 'https://ada:s3cretpw@example.com/' }, 's3cretpw'],
  ])('known by %s are masked before anything is written', async (_by, details, secret) => {
    const { event, text } = await kept({ type: 'call', details });
    expect(text).not.toContain(secret);
    expect(JSON.stringify(event)).toContain('[redacted]');
  });

  it('that the program knows are masked in texts, names and numbers', async () => {
    const details = { note: 'it is plainword, and plainwordlonger', plainword: [1], pin: 482_915, nothing: 'abc' };
    const { event, text } = await kept(
      { type: 'call', details },
      { knownSecrets: () => ['plainword', 'plainwordlonger', '482915', 'abc', ''] },
    );
    expect(text).not.toContain('plainword');
    expect(text).not.toContain('482915');
    expect(event.details).toEqual({
      note: 'it is [redacted], and [redacted]',
      '[redacted]': [1],
      pin: '[redacted]',
      nothing: 'abc',
    });
  });

  it('are asked for with each event; a program that fails to say them gets nothing written', async () => {
    const { event, text, problems } = await kept(
      { type: 'call', details: { note: 'plainword' } },
      {
        knownSecrets: () => {
          throw new Error('locked');
        },
      },
    );
    expect(text).not.toContain('plainword');
    expect(event).toEqual({ type: 'audit', details: { unwritten: true } });
    expect(problems).toEqual(['The details of an event could not be written.']);
  });
});

describe('details', () => {
  it('that are too large are cut, with the digest of the whole', async () => {
    const details = { tool: 'read', effect: 'ask', text: 'x'.repeat(50_000), list: Array(5000).fill('y') };
    const { event } = await kept({ type: 'call', details });
    expect(event.details).toMatchObject({ tool: 'read', effect: 'ask', list: '[cut]' });
    expect(event.details['text']).toBe(`${'x'.repeat(2048)}[cut]`);
    expect(event.details['cut']).toEqual({ characters: JSON.stringify(details).length, digest: digestOf(details) });
  });

  it('have a digest that does not tell the secret in them', async () => {
    const large = 'x'.repeat(50_000);
    const digests = await Promise.all(
      ['hunter2', 'hunter3'].map(
        async (password) => (await kept({ type: 'call', details: { password, large } })).event.details['cut'],
      ),
    );
    expect(digests[0]).toEqual(digests[1]);
  });

  it.each<[string, () => unknown]>([
    ['very many members', () => Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [`k${index}`, index]))],
    ['a name without end', () => ({ ['n'.repeat(100_000)]: 1 })],
    [
      'a circle',
      () => {
        const circle: Record<string, unknown> = {};
        circle['self'] = circle;
        return circle;
      },
    ],
    [
      'great depth',
      () => {
        let deep: unknown = 1;
        for (let i = 0; i < 50_000; i++) deep = [deep];
        return { deep };
      },
    ],
    [
      'values that are no JSON',
      () => ({ a: undefined, b: Number.NaN, c: 10n, d: () => 1, e: Symbol('e'), f: new Date(0) }),
    ],
    ['half a character', () => ({ a: '\uD83D', b: '\uD83D\uDE00'.repeat(20_000) })],
    ['members of every object', () => JSON.parse('{"__proto__":{"a":1},"constructor":2}') as unknown],
    [
      'a toJSON that throws',
      () => ({
        toJSON: () => {
          throw new Error('no');
        },
      }),
    ],
    ['nothing', () => undefined],
    ['no object', () => 'text'],
  ])('with %s are written, and the chain holds', async (_what, details) => {
    const { event, text } = await kept({
      type: 't'.repeat(1000),
      server: 's'.repeat(1000),
      call: 'c'.repeat(1000),
      details: details(),
    });
    expect(event.type.length).toBeLessThan(300);
    expect(text.length).toBeLessThan(40_000);
  });

  it('are those of the moment of writing', async () => {
    const store = memoryStore();
    const log = new AuditLog({ store });
    const details = { i: 1 };
    log.write({ type: 'call', details });
    details.i = 2;
    for await (const { event } of log.read()) expect(event.details).toEqual({ i: 1 });
  });

  it.each([undefined, null, 7, {}, { type: 5, details: {} }])(
    'of an event that is none (%j) throw nothing',
    async (event) => {
      const { problems } = await kept(event);
      expect(problems).toHaveLength(1);
    },
  );
});
