import { memoryStore } from 'crosspoint/stores';
import { describe, expect, it } from 'vitest';
import { AuditLog } from '../../src/audit/audit-log.ts';
import type { ApprovalState } from '../../src/consent/approval.ts';
import { decide } from '../../src/consent/decide.ts';
import type { Subject } from '../../src/consent/decision.ts';
import { decisionEvent } from '../../src/consent/decision-event.ts';
import { dryRun, type DryRun } from '../../src/consent/dry-run.ts';
import { parsePolicy } from '../../src/consent/parse-policy.ts';
import { callOf, toolOf } from './subjects.ts';

type Decided = readonly [subject: Subject, state?: ApprovalState];

/** Decides by one policy, keeps that in a real log, and tries another policy on it. */
async function tried(before: unknown, after: unknown, decided: readonly Decided[]): Promise<DryRun> {
  const audit = new AuditLog({ store: memoryStore() });
  const policy = parsePolicy(before);
  for (const [subject, state] of decided) {
    audit.write({ type: 'call', server: subject.server, details: {} });
    audit.write(decisionEvent(subject, decide(policy, subject, state), { state, call: 'c1' }));
  }
  return dryRun(parsePolicy(after), audit.read());
}

describe('a dry run', () => {
  it('allows the start of servers that the program has chosen, as the host does, unless a rule says otherwise', async () => {
    const audit = new AuditLog({ store: memoryStore() });
    const start = {
      action: 'start',
      server: 'a',
      name: 'node a',
      arguments: {},
      isTrusted: false,
      influencedBy: [],
    } as const;
    audit.write(decisionEvent(start, decide({ default: 'allow' }, start), { isOwn: true }));
    expect(await dryRun({ default: 'deny' }, audit.read())).toMatchObject({ different: 0, same: 1 });
    expect(await dryRun(parsePolicy({ rules: [{ effect: 'deny', action: 'start' }] }), audit.read())).toMatchObject({
      different: 1,
    });
  });

  it('lists what another policy would have decided differently', async () => {
    const calls = ['read_file', 'write_file', 'delete_file'].map((name): Decided => [callOf({ tool: toolOf(name) })]);
    const { changed, different, same, undecidable } = await tried(
      { rules: [{ effect: 'allow' }] },
      {
        rules: [
          { effect: 'allow', tool: 'read_*' },
          { effect: 'deny', tool: 'delete_*', reason: 'No.' },
        ],
      },
      calls,
    );
    expect([different, same, undecidable]).toEqual([2, 1, 0]);
    expect(
      changed.map(({ entry, before, after }) => [entry.event.details['name'], before.effect, after.effect]),
    ).toEqual([
      ['write_file', 'allow', 'ask'],
      ['delete_file', 'allow', 'deny'],
    ]);
    expect(changed[1]?.after.reasons.map(({ text }) => text)).toContain('Rule 1 denies: No.');
    expect(changed[0]?.entry.event).toMatchObject({ type: 'decision', server: 'files', call: 'c1' });
  });

  it('finds nothing different in the same policy, for everything that a decision depends on', async () => {
    const policy = {
      default: { call: 'ask', read: 'deny' },
      pin: 'deny',
      rules: [
        { effect: 'allow', annotations: { readOnly: true } },
        { effect: 'deny', influencedBy: 'web' },
        { effect: 'allow', arguments: { '/amount': { max: 5 } }, reviewResult: true },
        { effect: 'allow', action: 'read', name: 'file:*' },
      ],
    };
    const readOnly = toolOf('read', { annotations: { readOnlyHint: true } });
    const flagged = toolOf('pay', { _meta: { 'anthropic/requiresUserInteraction': true, other: 'x' } });
    const approval = { for: 'always' as const, at: '2026-01-01T00:00:00.000Z' };
    const decided: Decided[] = [
      [callOf({ tool: readOnly, isTrusted: true })],
      [callOf({ tool: readOnly, isTrusted: false })],
      [callOf({ influencedBy: ['web'] })],
      [callOf({ arguments: { amount: 3 } })],
      [callOf({ arguments: { amount: 3 } }), { seen: 'changed', changes: [{ path: '/title' }] }],
      [callOf(), { seen: 'same', changes: [], approval }],
      [callOf({ tool: flagged }), { seen: 'same', changes: [], approval }],
      [{ ...callOf(), action: 'read', name: 'file:///a' }],
      [{ ...callOf(), action: 'read', name: 'https://example.com' }],
    ];
    expect(await tried(policy, policy, decided)).toMatchObject({ different: 0, same: decided.length, undecidable: 0 });
    const open = await tried(policy, { default: 'allow', pin: 'off' }, decided);
    expect(open.different + open.same).toBe(decided.length);
    expect(open.different).toBeGreaterThan(4);
  });

  it('says where it depends on a value that was redacted or cut', async () => {
    const secret = callOf({ arguments: { password: 'hunter2', to: 'ada' } });
    const rule = (effect: string): unknown => ({ rules: [{ effect, arguments: { '/password': { glob: 'h*' } } }] });
    expect(await tried({}, rule('deny'), [[secret]])).toMatchObject({ undecidable: 1, same: 0, different: 0 });
    expect(await tried({}, rule('allow'), [[secret]])).toMatchObject({ undecidable: 1 });
    // It asks either way.
    expect(await tried({}, rule('ask'), [[secret]])).toMatchObject({ undecidable: 0, same: 1 });
    // Another rule decides alone.
    const other = {
      rules: [
        { effect: 'deny', arguments: { '/to': { equals: 'ada' } } },
        { effect: 'allow', arguments: { '/password': { absent: true } } },
      ],
    };
    expect(await tried({}, other, [[secret]])).toMatchObject({ undecidable: 0, different: 1 });
    const asking = { default: 'deny', rules: [{ effect: 'ask', arguments: { '/password': { equals: 'hunter2' } } }] };
    expect(await tried({}, asking, [[secret]])).toMatchObject({ undecidable: 1 });
    const reviewing = {
      default: 'allow',
      rules: [{ effect: 'allow', reviewResult: true, arguments: { '/password': { glob: '*' } } }],
    };
    expect(await tried({}, reviewing, [[secret]])).toMatchObject({ undecidable: 1 });
  });

  it('says where it depends on what was cut, or on a name with a secret in it', async () => {
    const large = callOf({ arguments: { body: 'x'.repeat(50_000), to: 'ada' } });
    const glob = { rules: [{ effect: 'deny', arguments: { '/body': { glob: '*evil*' } } }] };
    expect(await tried({}, glob, [[large]])).toMatchObject({ undecidable: 1 });
    expect(await tried({}, { default: 'deny' }, [[large]])).toMatchObject({ undecidable: 0, different: 1 });
    const start: Subject = { ...callOf(), action: 'start', name: 'serve --token=abcdef123456' };
    expect(await tried({}, { rules: [{ effect: 'deny', action: 'start', name: '*abc*' }] }, [[start]])).toMatchObject({
      undecidable: 1,
    });
    const huge = callOf({
      arguments: Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [`k${index}`, index])),
    });
    expect(await tried({}, { default: 'deny' }, [[huge]])).toMatchObject({ undecidable: 1 });
  });

  it('leaves out other events, and survives ones that are no decisions', async () => {
    const audit = new AuditLog({ store: memoryStore() });
    for (const details of [
      {},
      { action: 'call', name: 1 },
      { action: 'fly', name: 'x', arguments: {}, isTrusted: true, influencedBy: [], effect: 'ask' },
    ])
      audit.write({ type: 'decision', server: 's', details });
    audit.write({ type: 'answer', details: {} });
    expect(await dryRun(parsePolicy({}), audit.read())).toEqual({ changed: [], different: 0, same: 0, undecidable: 3 });
  });
});
