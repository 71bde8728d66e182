import { memoryStore, type Store } from 'crosspoint/stores';
import { describe, expect, it } from 'vitest';
import { believedHints, claimedHints, describeHints, matchesHints } from '../../src/consent/annotations.ts';
import type { ApprovalState } from '../../src/consent/approval.ts';
import { Approvals } from '../../src/consent/approvals.ts';
import { decide, decideKnowing, isCall } from '../../src/consent/decide.ts';
import type { OtherSubject, Reason } from '../../src/consent/decision.ts';
import { definitionOf, diffDefinitions } from '../../src/consent/definition.ts';
import { matchesArguments } from '../../src/consent/matching.ts';
import { parsePolicy } from '../../src/consent/parse-policy.ts';
import { PolicyError } from '../../src/consent/policy-error.ts';
import { hasChanges } from '../../src/consent/pins.ts';
import { pointerTo, readPointer } from '../../src/consent/pointer.ts';
import { defaultEffect, listOf, ownPolicy, stronger } from '../../src/consent/policy.ts';
import type { Json } from '../../src/values/json.ts';
import { callOf, toolOf } from './subjects.ts';

const OTHER: OtherSubject = {
  action: 'read',
  server: 's',
  name: 'n',
  arguments: {},
  isTrusted: true,
  influencedBy: [],
};
const textsOf = (reasons: readonly Reason[]): string[] => reasons.map(({ step, text }) => `${step}: ${text}`);

describe('the reasons of a decision', () => {
  it('are server, hints, rules or the default, in this order', () => {
    const policy = parsePolicy({
      rules: [{ effect: 'allow', reason: 'Notes.' }, { effect: 'deny', server: 'x' }, { effect: 'ask' }],
    });
    const { reasons, ...rest } = decide(policy, callOf());
    expect(rest).toEqual({ effect: 'ask', reviewsResult: false });
    expect(reasons).toEqual([
      { step: 'server', text: 'The server files is not trusted: its annotations can only raise the guard.' },
      { step: 'annotations', text: 'The tool counts as not read-only, destructive, not idempotent, open-world.' },
      { step: 'rule', text: 'Rule 0 allows: Notes.', effect: 'allow', rule: 0 },
      { step: 'rule', text: 'Rule 2 asks.', effect: 'ask', rule: 2 },
    ]);
    expect(textsOf(decide(parsePolicy({ default: 'deny' }), OTHER).reasons)).toEqual([
      'server: The server s is trusted.',
      'default: No rule matches; the default denies.',
    ]);
  });

  it('say that rules which only raise the guard do not replace the default', () => {
    const policy = parsePolicy({ default: 'deny', rules: [{ effect: 'ask', influencedBy: 'web' }] });
    const { effect, reasons } = decide(policy, callOf({ influencedBy: ['web'] }));
    expect([effect, textsOf(reasons).slice(2)]).toEqual([
      'deny',
      ['flow: Rule 0 asks.', 'default: The rules that match can only raise the guard; the default denies.'],
    ]);
    const mild = parsePolicy({ default: 'allow', rules: [{ effect: 'ask', influencedBy: 'web' }] });
    expect(decide(mild, callOf({ influencedBy: ['web'] })).effect).toBe('ask');
    expect(decide(mild, callOf()).effect).toBe('allow');
  });

  const state = (seen: ApprovalState['seen'], more: Partial<ApprovalState> = {}): ApprovalState => ({
    seen,
    changes: [],
    ...more,
  });
  const definitionReason = (given: ApprovalState, policy: object = {}): Reason | undefined =>
    decide(parsePolicy(policy), callOf(), given).reasons.find(({ step }) => step === 'definition');

  it('tell how the definition compares with what was seen', () => {
    const changes = ['/a', '', '/c', '/d', '/e', '/f', '/g'].map((path) => ({ path }));
    expect(definitionReason(state('first'))).toEqual({
      step: 'definition',
      text: 'The server is seen for the first time.',
    });
    expect(definitionReason(state('same'))?.text).toBe('The definition is the one that was seen before.');
    expect(definitionReason(state('changed', { changes }))).toEqual({
      step: 'definition',
      text: 'The definition has changed since it was seen or approved: /a, all of it, /c, /d, /e and 2 more.',
      effect: 'ask',
    });
    expect(definitionReason(state('changed', { changes: changes.slice(0, 5) }))?.text).toMatch(/\/d, \/e\.$/);
    expect(definitionReason(state('new'), { pin: 'deny' })).toMatchObject({
      effect: 'deny',
      text: expect.stringContaining('joined') as string,
    });
    expect(definitionReason(state('unclear'), { pin: 'off' })).not.toHaveProperty('effect');
    const long = definitionReason(state('changed', { changes: [{ path: `/${'x'.repeat(199)}` }] }))?.text;
    expect(long).toContain(`/${'x'.repeat(199)}.`);
    expect(definitionReason(state('changed', { changes: [{ path: `/${'x'.repeat(200)}` }] }))?.text).toContain(
      `/${'x'.repeat(199)}….`,
    );
    expect(
      decide(parsePolicy({}), OTHER, state('changed', { changes })).reasons.some(({ step }) => step === 'definition'),
    ).toBe(false);
  });

  it('tell of approvals that count, do not count, or have lapsed', () => {
    const approval = { for: 'session', at: 'T' } as const;
    const last = (policy: object, given: ApprovalState): unknown =>
      decide(parsePolicy(policy), callOf(), given).reasons.at(-1);
    expect(last({}, state('same', { approval }))).toEqual({
      step: 'approval',
      text: 'An approval for this session was given at T.',
      effect: 'allow',
    });
    expect(last({ default: 'deny' }, state('same', { approval: { ...approval, for: 'always' } }))).toEqual({
      step: 'approval',
      text: 'An approval for always was given at T, which does not count here.',
    });
    expect(last({ default: 'allow' }, state('same', { approval }))).toMatchObject({ step: 'default' });
    expect(last({}, state('same', { lapsed: 'It lapsed.' }))).toEqual({ step: 'approval', text: 'It lapsed.' });
  });

  it('tell which flag of a tool wants its user asked every time', () => {
    const tool = toolOf('pay', { _meta: { 'example/ask': true, other: true } });
    const decision = decide(parsePolicy({ default: 'allow', askFlags: ['none', 'example/ask'] }), callOf({ tool }));
    expect(decision).toMatchObject({ effect: 'ask', everyTime: true });
    expect(decision.reasons.at(-1)).toEqual({
      step: 'annotations',
      text: 'The tool says by example/ask that its user is asked every time.',
      effect: 'ask',
    });
    const odd = toolOf('pay', { _meta: { 'example/ask': 'true' } });
    expect(
      decide(parsePolicy({ default: 'allow', askFlags: ['example/ask', 'toString'] }), callOf({ tool: odd })).effect,
    ).toBe('allow');
    expect(decide(parsePolicy({ default: 'deny', askFlags: ['example/ask'] }), callOf({ tool })).effect).toBe('deny');
  });
});

describe('rules', () => {
  it('are for calls unless they name another action', () => {
    const policy = parsePolicy({ rules: [{ effect: 'allow' }, { effect: 'deny', action: 'read', name: ['a*', 'b'] }] });
    const read = (name: string): string => decide(policy, { ...OTHER, name }).effect;
    expect([read('ax'), read('b'), read('c')]).toEqual(['deny', 'deny', 'ask']);
    expect(decide(policy, callOf()).effect).toBe('allow');
    expect([isCall(callOf()), isCall({ ...callOf(), action: 'call' }), isCall(OTHER)]).toEqual([true, true, false]);
  });

  it('do not look at very long names: these are denied, and never allowed', () => {
    const long = 'x'.repeat(65_537);
    const policy = (effect: string): ReturnType<typeof parsePolicy> =>
      parsePolicy({ default: 'ask', rules: [{ effect, tool: '*' }] });
    const call = callOf({ tool: toolOf(long) });
    expect([decide(policy('allow'), call).effect, decide(policy('deny'), call).effect]).toEqual(['ask', 'deny']);
    expect(decide(policy('allow'), callOf({ tool: toolOf('x'.repeat(65_536)) })).effect).toBe('allow');
  });

  it('are not sure of unknown values: they raise the guard and do not lower it', () => {
    const isUnknown = (value: Json): boolean => value === '?';
    const effectOf = (effect: string, fallback: string): string =>
      decideKnowing(
        parsePolicy({ default: fallback, rules: [{ effect, arguments: { '/a': { equals: 1 } } }] }),
        callOf({ arguments: { a: '?' } }),
        {
          isUnknown,
        },
      ).effect;
    expect([
      effectOf('allow', 'ask'),
      effectOf('deny', 'ask'),
      effectOf('ask', 'allow'),
      effectOf('ask', 'deny'),
    ]).toEqual(['ask', 'deny', 'ask', 'deny']);
    const known = { isUnknown, unknownMatches: () => true };
    expect(
      decideKnowing(
        parsePolicy({ rules: [{ effect: 'allow', arguments: { '/a': { equals: 1 } } }] }),
        callOf({ arguments: { a: '?' } }),
        known,
      ).effect,
    ).toBe('allow');
  });

  it('count the strongest effect; defaults are by action', () => {
    expect([
      stronger('allow', 'ask'),
      stronger('ask', 'allow'),
      stronger('deny', 'ask'),
      stronger('ask', 'ask'),
    ]).toEqual(['ask', 'ask', 'deny', 'ask']);
    expect([defaultEffect({}, 'call'), defaultEffect({ default: 'deny' }, 'read')]).toEqual(['ask', 'deny']);
    expect([
      defaultEffect({ default: { read: 'allow' } }, 'read'),
      defaultEffect({ default: { read: 'allow' } }, 'call'),
    ]).toEqual(['allow', 'ask']);
    expect([listOf('a'), listOf(['a', 'b'])]).toEqual([['a'], ['a', 'b']]);
    expect(ownPolicy({ default: 'deny', pin: 'off' })).toEqual({ default: { start: 'allow' }, pin: 'off' });
    expect(ownPolicy({ default: { start: 'deny', read: 'allow' } })).toEqual({
      default: { start: 'allow', read: 'allow' },
    });
  });
});

describe('tests of arguments', () => {
  const lowers = (pointer: string, test: object, value: Json): boolean =>
    matchesArguments(value, { [pointer]: test }, { guard: 'lowers' });
  const raises = (pointer: string, test: object, value: Json): boolean =>
    matchesArguments(value, { [pointer]: test }, { guard: 'raises' });

  it.each<[object, Json, boolean]>([
    [{ min: 1 }, 1, true],
    [{ min: 1 }, 0.9, false],
    [{ max: 5 }, 5, true],
    [{ max: 5 }, 6, false],
    [{ min: 1, max: 5 }, 0, false],
    [{ equals: [1, { a: 2 }] }, [1, { a: 2 }], true],
    [{ equals: { a: 1 } }, 'x', false],
    [{ equals: 'x' }, { a: 1 }, false],
    [{ equals: null }, {}, false],
    [{ in: [1, { a: 1 }] }, { a: 1 }, true],
    [{ in: [] }, 1, false],
    [{ glob: 'a*' }, 'ab', true],
    [{ glob: 'a*' }, ['ab'], false],
    [{ within: '/a' }, 5, false],
    [{}, 'x', false],
  ])('%j of %j is %s', (test, value, expected) => {
    expect([lowers('/v', test, { v: value }), raises('/v', test, { v: value })]).toEqual([expected, expected]);
  });

  it('name members of objects and items of lists, and nothing that they inherit', () => {
    const value = { list: [1, 2], object: { a: 1, b: 2 }, text: 'abc' };
    expect(lowers('/list/1', { equals: 2 }, value)).toBe(true);
    for (const step of ['2', '01', '-1', 'length', '1x', 'x1', '12345678901'])
      expect(lowers(`/list/${step}`, { absent: true }, value), step).toBe(true);
    expect(lowers('/object/*', { min: 1, max: 2 }, value)).toBe(true);
    expect(lowers('/object/*', { max: 1 }, value)).toBe(false);
    expect(raises('/object/*', { max: 1 }, value)).toBe(true);
    expect(lowers('/text/0', { absent: true }, value)).toBe(true);
    expect(lowers('/none/deeper', { absent: true }, value)).toBe(true);
    // A place that is not there passes no other test: nothing is allowed because there is nothing to look at.
    for (const pointer of ['/text/0', '/none', '/none/deeper', '/list/7', '/text/*'])
      expect(lowers(pointer, { equals: 1 }, value), pointer).toBe(false);
    expect(lowers('/object/*', { absent: true }, { object: {} })).toBe(true);
    expect(lowers('/object/constructor', { absent: true }, value)).toBe(true);
  });

  it('must all pass, and look at 10,000 values', () => {
    const both = { '/a': { equals: 1 }, '/b': { equals: 2 } };
    expect(matchesArguments({ a: 1, b: 2 }, both, { guard: 'lowers' })).toBe(true);
    expect(matchesArguments({ a: 1, b: 3 }, both, { guard: 'raises' })).toBe(false);
    const list = (length: number): Json => ({ l: Array<Json>(length).fill(0) });
    expect([lowers('/l/*', { equals: 0 }, list(10_000)), raises('/l/*', { equals: 1 }, list(10_000))]).toEqual([
      true,
      false,
    ]);
    expect([lowers('/l/*', { equals: 0 }, list(10_001)), raises('/l/*', { equals: 1 }, list(10_001))]).toEqual([
      false,
      true,
    ]);
    expect([
      lowers('/v', { glob: '*' }, { v: 'x'.repeat(65_537) }),
      raises('/v', { glob: 'y' }, { v: 'x'.repeat(65_537) }),
    ]).toEqual([false, true]);
    expect(lowers('/v', { glob: '*' }, { v: 'x'.repeat(65_536) })).toBe(true);
  });

  it('of unknown values, at any depth, have the answer that is given', () => {
    const isUnknown = (value: Json): boolean => value === '?';
    const answer = (pointer: string, unknownMatches?: boolean): boolean =>
      matchesArguments(
        { a: '?' },
        { [pointer]: { equals: 1 } },
        { guard: 'lowers', isUnknown, ...(unknownMatches !== undefined && { unknownMatches }) },
      );
    expect([answer('/a', true), answer('/a/b', true), answer('/a', false), answer('/a')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(
      matchesArguments(
        {},
        { '/a': { absent: true } },
        { guard: 'lowers', isUnknown: () => true, unknownMatches: false },
      ),
    ).toBe(false);
  });

  it.each([
    ['C:\\Users\\me', 'C:\\Users\\me', true, true],
    ['C:\\Users\\me', 'C:\\Users\\me\\..\\..\\x', false, false],
    ['C:\\Users\\me', '\\Users\\me', false, true],
    ['C:\\Users\\me', '/Users/me', false, true],
    ['C:\\Users\\me', 'me', false, true],
    ['\\\\host\\share', '\\\\host\\share\\x', true, true],
    ['\\\\host\\share', '//host/share/x', true, true],
    ['/a', '/a/..b', true, true],
    ['/a', '/', false, false],
    ['/a', '/b', false, false],
    ['/a', 'a', false, true],
    ['/a', '/a/\0', false, true],
  ])('within %s is %s: %s to allow, %s to deny', (within, path, allows, denies) => {
    expect([lowers('/p', { within }, { p: path }), raises('/p', { within }, { p: path })]).toEqual([allows, denies]);
  });

  it('are named by JSON pointers', () => {
    expect([readPointer(''), readPointer('/'), readPointer('/a~1b/~0c')]).toEqual([[], [''], ['a/b', '~c']]);
    expect([readPointer('a'), readPointer('/~2'), readPointer('/a~')]).toEqual([undefined, undefined, undefined]);
    expect([pointerTo('', 'a/~b'), pointerTo('/x', 0)]).toEqual(['/a~1~0b', '/x/0']);
  });
});

describe('the hints of a tool', () => {
  const tool = (annotations?: object): { annotations?: object } => (annotations ? { annotations } : {});
  const worst = { readOnly: false, destructive: true, idempotent: false, openWorld: true };

  it('are the worst where it says nothing, or nonsense', () => {
    expect(claimedHints(tool())).toEqual(worst);
    expect(
      claimedHints(tool({ readOnlyHint: 'yes', destructiveHint: 0, idempotentHint: 1, openWorldHint: null })),
    ).toEqual(worst);
    const mild = { readOnlyHint: true, destructiveHint: true, idempotentHint: true, openWorldHint: false };
    expect(claimedHints(tool(mild))).toEqual({
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    });
    expect(claimedHints(tool({ destructiveHint: false }))).toEqual({ ...worst, destructive: false });
    expect(believedHints(tool(mild), false)).toEqual(worst);
    expect(believedHints(tool(mild), true).readOnly).toBe(true);
  });

  it('match where each is believed and claimed, or, to raise the guard, either', () => {
    const claims = { tool: tool({ destructiveHint: false, openWorldHint: false }), isTrusted: false };
    expect([
      matchesHints({ destructive: false }, claims, 'lowers'),
      matchesHints({ destructive: false }, claims, 'raises'),
    ]).toEqual([false, true]);
    expect([
      matchesHints({ destructive: true }, claims, 'lowers'),
      matchesHints({ destructive: true }, claims, 'raises'),
    ]).toEqual([false, true]);
    expect(matchesHints({ destructive: false, openWorld: false }, { ...claims, isTrusted: true }, 'lowers')).toBe(true);
    expect(matchesHints({ destructive: false, readOnly: true }, claims, 'raises')).toBe(false);
    expect([matchesHints({}, claims, 'lowers'), matchesHints({}, claims, 'raises')]).toEqual([true, true]);
  });

  it('are described, with those that are not believed', () => {
    const mild = tool({ readOnlyHint: true, idempotentHint: true, openWorldHint: false });
    expect(describeHints(mild, true)).toBe('The tool counts as read-only, not destructive, idempotent, closed-world.');
    expect(describeHints(mild, false)).toBe(
      'The tool counts as not read-only, destructive, not idempotent, open-world. The server says read-only, not destructive, idempotent, closed-world, which is not believed: it is not trusted.',
    );
  });
});

describe('a policy', () => {
  const isFine = (source: unknown): boolean => {
    try {
      return parsePolicy(source) !== undefined;
    } catch (error) {
      expect(error).toBeInstanceOf(PolicyError);
      return false;
    }
  };
  const rule = (more: object): object => ({ rules: [{ effect: 'deny', ...more }] });
  const testOf = (test: unknown): object => rule({ arguments: { '/a': test } });

  it('may be as large as it may be, and no larger', () => {
    const text = (length: number): string => `{}${' '.repeat(length - 2)}`;
    expect([isFine(text(1_048_576)), isFine(text(1_048_577))]).toEqual([true, false]);
    const rules = (count: number): object => ({ rules: Array.from({ length: count }, () => ({ effect: 'deny' })) });
    expect([isFine(rules(1000)), isFine(rules(1001))]).toEqual([true, false]);
    expect([isFine(rule({ tool: 'x'.repeat(256) })), isFine(rule({ tool: 'x'.repeat(257) }))]).toEqual([true, false]);
    expect([isFine(rule({ tool: Array(100).fill('x') })), isFine(rule({ tool: Array(101).fill('x') }))]).toEqual([
      true,
      false,
    ]);
    expect([isFine(rule({ reason: 'x'.repeat(500) })), isFine(rule({ reason: 'x'.repeat(501) }))]).toEqual([
      true,
      false,
    ]);
    const tests = (count: number): object =>
      rule({ arguments: Object.fromEntries(Array.from({ length: count }, (_, at) => [`/${at}`, { absent: true }])) });
    expect([isFine(tests(20)), isFine(tests(21))]).toEqual([true, false]);
    const pointer = (length: number): object =>
      rule({ arguments: { [`/${'x'.repeat(length - 1)}`]: { absent: true } } });
    expect([isFine(pointer(256)), isFine(pointer(257))]).toEqual([true, false]);
    expect([isFine(testOf({ equals: 'x'.repeat(4094) })), isFine(testOf({ equals: 'x'.repeat(4095) }))]).toEqual([
      true,
      false,
    ]);
    expect([isFine(testOf({ in: Array(100).fill(1) })), isFine(testOf({ in: Array(101).fill(1) }))]).toEqual([
      true,
      false,
    ]);
  });

  it.each([
    [testOf({ min: 1 }), true],
    [testOf({ min: 1, max: 2 }), true],
    [testOf({ min: 1, equals: 2 }), false],
    [testOf({ equals: 1, in: [1] }), false],
    [testOf({ max: Infinity }), false],
    [testOf({ min: Number.NaN }), false],
    [testOf({ absent: true }), true],
    [testOf({ absent: 1 }), false],
    [testOf({ within: '/a' }), true],
    [testOf({ within: 'C:\\a' }), true],
    [testOf({ within: 'C:/a' }), true],
    [testOf({ within: '\\\\host\\a' }), true],
    [testOf({ within: 'C:a' }), false],
    [testOf({ within: 'a/b' }), false],
    [testOf({ within: '' }), false],
    [testOf({ glob: 5 }), false],
    [testOf('x'), false],
    // A test that is not there would never match, and its rule protect nothing.
    [testOf({ equals: undefined }), false],
    [testOf({ equals: 1, min: undefined }), true],
    [rule({ arguments: 'x' }), false],
    [rule({ everyTime: true, effect: 'ask' }), true],
    [rule({ everyTime: false }), true],
    [rule({ everyTime: true }), false],
    [rule({ everyTime: 'yes', effect: 'ask' }), false],
    [rule({ reviewResult: true }), true],
    [rule({ reviewResult: 1 }), false],
    [rule({ action: 'sample', reviewResult: true }), true],
    [rule({ action: 'read', reviewResult: true }), false],
    [rule({ action: 'read', annotations: {} }), false],
    [rule({ action: 'read', name: 'x' }), true],
    [rule({ action: 'call', name: 'x' }), false],
    [rule({ action: 'other' }), false],
    [rule({ influencedBy: [] }), false],
    [rule({ effect: 'allow', influencedBy: [] }), true],
    [rule({ influencedBy: ['a'] }), true],
    [rule({ tool: undefined }), true],
    [{ askFlags: ['a'] }, true],
    [{ askFlags: 'a' }, false],
    [{ default: { call: 'ask', roots: 'deny' } }, true],
    [{ default: { call: 'yes' } }, false],
    [{ default: 5 }, false],
    [{ rules: [5] }, false],
    ['\uFEFF{}', true],
    ['x\uFEFF{}', false],
  ])('%j can be used: %s', (source, expected) => expect(isFine(source)).toBe(expected));

  it('names its faults', () => {
    const problems = (source: unknown): unknown => {
      try {
        return parsePolicy(source);
      } catch (error) {
        return (error as PolicyError).problems;
      }
    };
    expect(problems({ rules: [{ effect: 'deny', everyTime: true, tool: 5 }] })).toEqual([
      { pointer: '/rules/0/tool', message: 'must be a list' },
      { pointer: '/rules/0/everyTime', message: 'goes with the effect ask alone' },
    ]);
    expect(problems({ [`x${'y'.repeat(300)}`]: 1 })).toMatchObject([{ pointer: `/x${'y'.repeat(255)}` }]);
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(problems(testOf({ equals: circle }))).toMatchObject([
      { message: 'must be JSON of at most 4096 characters' },
    ]);
  });
});

describe('definitions', () => {
  it('are everything that is listed, but for the context of a trace', () => {
    const tool = toolOf('t', { _meta: { traceparent: 'x', tracestate: 'x', baggage: 'x', kept: 1 } });
    expect(definitionOf(tool)?.value).toEqual({ ...toolOf('t'), _meta: { kept: 1 } });
    expect(definitionOf(toolOf('t', { _meta: { baggage: 'x' } }))?.value).toEqual(toolOf('t'));
    expect(definitionOf(toolOf('t', { _meta: 5 as never }))?.digest).toBe(definitionOf(toolOf('t'))?.digest);
  });

  it('are compared down to a hundred levels', () => {
    const nested = (levels: number): never => {
      let value: unknown = 1;
      for (let level = 0; level < levels; level += 1) value = { a: value };
      return { name: 't', inputSchema: value } as never;
    };
    expect(definitionOf(nested(99))).toBeDefined();
    expect(definitionOf(nested(100))).toBeUndefined();
  });

  it('differ member by member, in order, each value cut at 4,096 characters', () => {
    expect(diffDefinitions({ b: 1, a: 1 }, { a: 2, b: 2 }).map(({ path }) => path)).toEqual(['/a', '/b']);
    expect(
      diffDefinitions({ l: Array(12).fill(0) }, { l: Array(12).fill(1) })
        .map(({ path }) => path)
        .slice(1, 4),
    ).toEqual(['/l/1', '/l/2', '/l/3']);
    const [fits] = diffDefinitions('', 'y'.repeat(4096));
    expect(fits?.after).toBe('y'.repeat(4096));
    const [cut] = diffDefinitions({ a: 1 }, { a: { b: 'y'.repeat(4096) } });
    expect(cut?.after).toMatch(/^\{"b":"y+… \(8 characters more\)$/);
    expect(diffDefinitions({ a: null }, { a: undefined as never })).toEqual([{ path: '/a', before: null }]);
  });
});

describe('what was first seen of a server', () => {
  const opened = (store: Store = memoryStore()): Approvals => new Approvals({ store, session: 's', now: () => 0 });
  const [a, b] = [toolOf('a'), toolOf('b')];

  it('is kept at the first listing with a tool, and told from then on', async () => {
    const approvals = opened();
    const first = { isFirst: true, added: [], removed: [], renamed: [], changed: [] };
    expect(await approvals.observe('s', { tools: [] })).toEqual(first);
    expect(await approvals.observe('s', { tools: [a], instructions: 'i' })).toEqual(first);
    expect(hasChanges(first)).toBe(false);
    const same = await approvals.observe('s', { tools: [a], instructions: 'i' });
    expect([same, hasChanges(same)]).toEqual([{ ...first, isFirst: false }, false]);
    for (const listing of [
      { tools: [a, b], instructions: 'i' },
      { tools: [], instructions: 'i' },
      { tools: [a] },
      { tools: [toolOf('a', { title: 't' })], instructions: 'i' },
    ])
      expect(hasChanges(await approvals.observe('s', listing))).toBe(true);
    expect(await approvals.observe('s', { tools: [b], instructions: 'j' })).toEqual({
      isFirst: false,
      added: ['b'],
      removed: ['a'],
      renamed: [],
      changed: [],
      instructions: { before: 'i', after: 'j' },
    });
    expect((await approvals.observe('s', { tools: [a] })).instructions).toEqual({ before: 'i' });
  });

  it('knows a tool by its definition when it has another name', async () => {
    const approvals = opened();
    const one = toolOf('one', { description: 'd' });
    await approvals.observe('s', { tools: [one, b] });
    const changes = await approvals.observe('s', {
      tools: [
        { ...one, name: 'two' },
        { ...b, title: 'x' },
      ],
    });
    expect(changes).toMatchObject({ added: ['two'], removed: ['one'], renamed: [{ from: 'one', to: 'two' }] });
    expect(changes.changed).toEqual([{ tool: 'b', changes: [{ path: '/title', after: 'x' }] }]);
  });

  it('is what the user accepts, all at once or tool by tool', async () => {
    const store = memoryStore();
    const approvals = opened(store);
    await approvals.observe('s', { tools: [a], instructions: 'i' });
    const call = callOf({ server: 's', tool: b });
    expect((await approvals.look(call)).seen).toBe('new');
    await approvals.approve(call, { for: 'session' });
    await approvals.endSession();
    expect(await approvals.look(call)).toEqual({ seen: 'same', changes: [] });
    expect(await opened(store).observe('s', { tools: [a, b], instructions: 'i' })).toMatchObject({
      added: [],
      removed: [],
    });
    await approvals.accept('s', { tools: [b] });
    expect(await opened(store).observe('s', { tools: [b] })).toMatchObject({ isFirst: false, added: [], removed: [] });
    expect((await approvals.look(callOf({ server: 's', tool: { ...b, title: 'x' } }))).changes).toEqual([
      { path: '/title', after: 'x' },
    ]);
    await approvals.approve(callOf({ server: 'unseen', tool: a }), { for: 'always' });
    expect((await approvals.observe('unseen', { tools: [] })).isFirst).toBe(true);
    await approvals.forget('s');
    expect((await approvals.look(call)).seen).toBe('first');
  });

  it('gives up where others write it all the time', async () => {
    const store = memoryStore();
    let puts = 0;
    store.put = async () => void (puts += 1);
    await expect(opened(store).accept('s', { tools: [a] })).rejects.toThrow(/others write them all the time/);
    expect(puts).toBe(20);
  });

  it('keeps only the digest of a definition that is large', async () => {
    const store = memoryStore();
    const empty = definitionOf(toolOf('a', { description: '' }));
    const length = 65_536 - JSON.stringify(empty?.value).length;
    const kept = async (description: string): Promise<boolean> => {
      const approvals = new Approvals({ store, prefix: `${description.length}:` });
      await approvals.observe('s', { tools: [toolOf('a', { description })] });
      const { changes } = await approvals.look(callOf({ server: 's', tool: toolOf('a', { description: 'other' }) }));
      return changes[0]?.path === '/description';
    };
    expect([await kept('x'.repeat(length)), await kept('x'.repeat(length + 1))]).toEqual([true, false]);
  });
});

describe('approvals', () => {
  const tool = toolOf('send');

  it('are kept with what they are for, and named in the store by digests', async () => {
    const store = memoryStore();
    const events: unknown[] = [];
    const audit = { write: (event: unknown) => void events.push(event) } as never;
    const approvals = new Approvals({ store, audit, now: () => 1000 });
    const call = callOf({ server: 'mail', tool, identity: 'id', arguments: { to: 'ann' } });
    const given = await approvals.approve(call, { for: 'always', withArguments: true });
    expect(given).toMatchObject({ server: 'mail', tool: 'send', for: 'always', at: '1970-01-01T00:00:01.000Z' });
    expect(given).not.toHaveProperty('identity');
    expect(given?.id).toMatch(/^consent:always(?::sha256:[\da-f]{64}){3}$/);
    expect(await approvals.list()).toEqual([given]);
    expect(await approvals.list({ server: 'other' })).toEqual([]);
    expect((await approvals.look({ ...call, arguments: { to: 'bob' } })).approval).toBeUndefined();
    expect((await approvals.look(call)).approval).toEqual({ for: 'always', at: given?.at });
    expect(await approvals.revoke(given?.id ?? '')).toBe(true);
    expect(await approvals.revoke(given?.id ?? '')).toBe(false);
    await store.put('other:key', 1);
    expect([await approvals.revoke('other:key'), await store.get('other:key')]).toMatchObject([false, { value: 1 }]);
    expect(await approvals.approve(call, { for: 'once' })).toBeUndefined();
    expect([await approvals.list(), (await approvals.look(call)).approval]).toEqual([[], undefined]);
    await approvals.accept('mail', { tools: [tool] });
    expect(events).toMatchObject([
      {
        type: 'approval',
        server: 'mail',
        details: { tool: 'send', for: 'always', arguments: expect.any(String) as string },
      },
      { details: { tool: 'send', revoked: 'always' } },
      { details: { tool: 'send', for: 'once' } },
      { details: { accepted: 1 } },
    ]);
    expect(events).toHaveLength(4);
  });

  it('of a session end with it, after a day at the latest, and leave others alone', async () => {
    let now = 0;
    const store = memoryStore({ now: () => now });
    const [one, two] = ['1', '2'].map((session) => new Approvals({ store, session }));
    const call = callOf({ tool });
    await one?.approve(call, { for: 'session' });
    await two?.approve(call, { for: 'session' });
    await one?.endSession();
    expect([(await one?.look(call))?.approval, (await two?.look(call))?.approval?.for]).toEqual([undefined, 'session']);
    now = 86_399_999;
    expect((await two?.look(call))?.approval).toBeDefined();
    now = 86_400_000;
    expect((await two?.look(call))?.approval).toBeUndefined();
  });

  it('say why they lapsed, and are found in pages', async () => {
    const approvals = new Approvals({ store: memoryStore(), now: () => 0 });
    const call = callOf({ tool, identity: 'one' });
    await approvals.approve(call, { for: 'always' });
    expect((await approvals.look({ ...call, identity: 'two' })).lapsed).toBe(
      'The approval of 1970-01-01T00:00:00.000Z does not count: the server had another command or address then.',
    );
    expect(await approvals.look({ ...call, tool: { ...tool, title: 'x' } })).toMatchObject({
      lapsed: 'The approval of 1970-01-01T00:00:00.000Z does not count: the definition of the tool has changed since.',
      changes: [{ path: '/title', after: 'x' }],
    });
    for (let index = 0; index < 405; index += 1)
      await approvals.approve(callOf({ server: 'many', tool: toolOf(`t${index}`) }), { for: 'always' });
    expect(await approvals.list({ server: 'many' })).toHaveLength(405);
    expect(await approvals.revokeServer('many')).toBe(405);
    expect(await approvals.list()).toHaveLength(1);
  });
});
