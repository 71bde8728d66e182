import { describe, expect, it } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import type { ApprovalState } from '../../src/consent/approval.ts';
import { decide } from '../../src/consent/decide.ts';
import type { CallSubject, Effect, OtherSubject } from '../../src/consent/decision.ts';
import { parsePolicy } from '../../src/consent/parse-policy.ts';
import type { Json } from '../../src/values/json.ts';
import { callOf, toolOf } from './subjects.ts';

const effectOf = (policy: unknown, call: CallSubject | OtherSubject, state?: ApprovalState): Effect =>
  decide(parsePolicy(policy), call, state).effect;

describe('decide', () => {
  proves('L-SECURITY-007, L-TOOLS-044').it('asks where no rule matches', () => {
    expect(decide(parsePolicy({}), callOf())).toMatchObject({ effect: 'ask', reviewsResult: false });
    expect(effectOf({ default: 'deny' }, callOf())).toBe('deny');
    expect(effectOf({ default: { read: 'allow' } }, callOf())).toBe('ask');
  });

  it('puts deny before ask before allow, in any order', () => {
    const rules = [{ effect: 'allow' }, { effect: 'ask', tool: 'read_*' }, { effect: 'deny', server: 'f*' }];
    expect(effectOf({ rules }, callOf())).toBe('deny');
    expect(effectOf({ rules: rules.toReversed() }, callOf())).toBe('deny');
    expect(effectOf({ rules: rules.slice(0, 2) }, callOf())).toBe('ask');
    expect(effectOf({ rules: rules.slice(0, 1) }, callOf())).toBe('allow');
  });

  it('goes by server and by the own name of the tool', () => {
    const policy = { rules: [{ effect: 'allow', server: ['git', 'files'], tool: ['list_*', 'read_*'] }] };
    expect(effectOf(policy, callOf())).toBe('allow');
    expect(effectOf(policy, callOf({ server: 'files2' }))).toBe('ask');
    expect(effectOf(policy, callOf({ tool: toolOf('write_file') }))).toBe('ask');
  });

  it('reviews the result where any matching rule says so', () => {
    const policy = parsePolicy({
      rules: [{ effect: 'allow' }, { effect: 'allow', server: 'web', reviewResult: true }],
    });
    expect(decide(policy, callOf({ server: 'web' }))).toMatchObject({ effect: 'allow', reviewsResult: true });
    expect(decide(policy, callOf()).reviewsResult).toBe(false);
  });

  it('decides about other actions by rules of their own', () => {
    const policy = {
      rules: [
        { effect: 'allow' },
        { effect: 'deny', action: 'start', name: 'npx *' },
        { effect: 'allow', action: 'read', name: 'file:///notes/*' },
      ],
    };
    const other = (action: OtherSubject['action'], name: string): OtherSubject => ({
      action,
      name,
      server: 's',
      arguments: {},
      isTrusted: false,
      influencedBy: [],
    });
    expect(effectOf(policy, other('start', 'npx some-server'))).toBe('deny');
    expect(effectOf(policy, other('start', 'node server.js'))).toBe('ask');
    expect(effectOf(policy, other('read', 'file:///notes/a.md'))).toBe('allow');
    expect(effectOf(policy, other('sample', 'any'))).toBe('ask');
  });
});

describe('arguments', () => {
  const allowing = (pointer: string, test: Json, value: Json): boolean =>
    effectOf(
      { rules: [{ effect: 'allow', arguments: { [pointer]: test } }] },
      callOf({ arguments: value as CallSubject['arguments'] }),
    ) === 'allow';
  const denying = (pointer: string, test: Json, value: Json): boolean =>
    effectOf(
      { rules: [{ effect: 'deny', arguments: { [pointer]: test } }] },
      callOf({ arguments: value as CallSubject['arguments'] }),
    ) === 'deny';

  it.each<[string, Json, Json, boolean]>([
    ['/a', { equals: 1 }, { a: 1 }, true],
    ['/a', { equals: 1 }, { a: '1' }, false],
    ['/a', { equals: null }, { a: null }, true],
    ['/a', { equals: null }, {}, false],
    ['/a', { equals: { x: 1, y: [2] } }, { a: { y: [2], x: 1 } }, true],
    ['/a', { in: ['EUR', 'CHF'] }, { a: 'CHF' }, true],
    ['/a', { in: ['EUR', 'CHF'] }, { a: 'USD' }, false],
    ['/a', { glob: '*.md' }, { a: 'x.md' }, true],
    ['/a', { glob: '*' }, { a: 5 }, false],
    ['/a', { min: 1, max: 5 }, { a: 5 }, true],
    ['/a', { max: 5 }, { a: 5.1 }, false],
    ['/a', { max: 5 }, { a: '3' }, false],
    ['/a', { absent: true }, {}, true],
    ['/a', { absent: true }, { a: null }, false],
    ['/a/0/b', { equals: 1 }, { a: [{ b: 1 }] }, true],
    ['/a/00', { equals: 1 }, { a: [1] }, false],
    ['/a~1b/~0', { equals: 1 }, { 'a/b': { '~': 1 } }, true],
    ['/length', { absent: true }, { a: 1 }, true],
    ['/toString', { absent: true }, {}, true],
    ['', { equals: { a: 1 } }, { a: 1 }, true],
  ])('%s %j on %j: %j', (pointer, test, value, expected) => {
    expect(allowing(pointer, test, value)).toBe(expected);
    expect(denying(pointer, test, value)).toBe(expected);
  });

  it('of a list must all pass to be allowed, and one is enough to be denied', () => {
    const test = { glob: '/etc/*' };
    expect(denying('/paths/*', test, { paths: ['/tmp/a', '/etc/passwd'] })).toBe(true);
    expect(allowing('/paths/*', test, { paths: ['/tmp/a', '/etc/passwd'] })).toBe(false);
    expect(allowing('/paths/*', test, { paths: ['/etc/a', '/etc/b'] })).toBe(true);
    expect(allowing('/paths/*', test, { paths: [] })).toBe(false);
    expect(allowing('/items/*/id', { equals: 1 }, { items: [{ id: 1 }, {}] })).toBe(false);
  });

  it.each([
    ['/home/me/a.txt', true],
    ['/home/me', true],
    ['/home/me/./x/../y', true],
    ['/home/me/../you/a', false],
    ['/home/meow', false],
    ['/home/me/../../etc/passwd', false],
    ['//home/me/x', true],
  ])('within a folder: %s is %j', (path, expected) => {
    expect(allowing('/path', { within: '/home/me' }, { path })).toBe(expected);
    expect(denying('/path', { within: '/home/me' }, { path })).toBe(expected);
  });

  it.each([
    ['C:\\Users\\me\\a', true],
    ['C:/Users/me/../you', false],
    ['D:\\Users\\me', false],
  ])('within a folder of Windows: %s is %j', (path, expected) => {
    expect(allowing('/path', { within: 'C:\\Users\\me' }, { path })).toBe(expected);
  });

  it.each(['a.txt', '../etc/passwd', 'C:\\Users\\me', '/home/me/\0x', 'x'.repeat(70_000)])(
    'within a folder: it cannot be told of %.30j, which is never allowed and always denied',
    (path) => {
      expect(allowing('/path', { within: '/home/me' }, { path })).toBe(false);
      expect(denying('/path', { within: '/home/me' }, { path })).toBe(true);
    },
  );

  it('that are huge or deep do no harm', () => {
    let deep: Json = 1;
    for (let i = 0; i < 50_000; i++) deep = [deep];
    expect(allowing('/a', { equals: { x: 1 } }, { a: deep })).toBe(false);
    expect(denying('/a/*', { equals: 1 }, { a: Array(20_000).fill(0) })).toBe(true);
    expect(allowing('/a/*', { equals: 0 }, { a: Array(20_000).fill(0) })).toBe(false);
  });
});

proves('L-SECURITY-008').describe('annotations', () => {
  const tool = toolOf('delete_everything', { annotations: { readOnlyHint: true, destructiveHint: false } });
  const policy = { rules: [{ effect: 'allow', annotations: { readOnly: true } }] };

  it('of an untrusted server that calls a destructive tool read-only: still asked', () => {
    expect(effectOf(policy, callOf({ tool, isTrusted: false }))).toBe('ask');
    expect(effectOf(policy, callOf({ tool, isTrusted: true }))).toBe('allow');
  });

  it('of an untrusted server do not avoid a rule on destructive tools', () => {
    const strict = { rules: [{ effect: 'allow' }, { effect: 'deny', annotations: { destructive: true } }] };
    expect(effectOf(strict, callOf({ tool, isTrusted: false }))).toBe('deny');
    expect(effectOf(strict, callOf({ tool, isTrusted: true }))).toBe('allow');
  });

  it('of an untrusted server may raise the guard', () => {
    const closed = { rules: [{ effect: 'allow' }, { effect: 'ask', annotations: { openWorld: false } }] };
    const honest = toolOf('local', { annotations: { openWorldHint: false } });
    expect(effectOf(closed, callOf({ tool: honest }))).toBe('ask');
    expect(effectOf(closed, callOf())).toBe('allow');
  });

  it('that are missing or no booleans count as the more dangerous ones', () => {
    const odd = toolOf('odd', { annotations: { readOnlyHint: 'yes', destructiveHint: 0 } as object });
    expect(effectOf(policy, callOf({ tool: odd, isTrusted: true }))).toBe('ask');
    const strict = { rules: [{ effect: 'deny', annotations: { destructive: true, openWorld: true } }] };
    expect(effectOf(strict, callOf({ tool: odd, isTrusted: true }))).toBe('deny');
    expect(effectOf(strict, callOf({ isTrusted: true }))).toBe('deny');
  });

  it('that an untrusted server gives do not take a review away', () => {
    const rules = [{ effect: 'allow', annotations: { destructive: true }, influencedBy: 'x', reviewResult: true }];
    const claims = toolOf('mild', { annotations: { destructiveHint: false } });
    expect(decide(parsePolicy({ default: 'allow', rules }), callOf({ tool: claims })).reviewsResult).toBe(true);
  });

  it('in a rule that reviews results count for untrusted servers, too', () => {
    const reviewing = parsePolicy({
      rules: [{ effect: 'allow', annotations: { readOnly: true }, reviewResult: true }],
    });
    expect(decide(reviewing, callOf({ tool, isTrusted: false }))).toMatchObject({ effect: 'ask', reviewsResult: true });
  });
});

describe('flows', () => {
  const toxic = {
    rules: [
      { effect: 'allow', server: '*' },
      { effect: 'deny', server: 'mail', influencedBy: ['web*', 'issues'], reason: 'Words of strangers send no mail.' },
    ],
  };

  it('from one server to another can be forbidden', () => {
    const mail = (influencedBy: string[]): CallSubject => callOf({ server: 'mail', influencedBy });
    expect(effectOf(toxic, mail([]))).toBe('allow');
    expect(effectOf(toxic, mail(['files']))).toBe('allow');
    expect(effectOf(toxic, mail(['files', 'web-search']))).toBe('deny');
    expect(effectOf(toxic, callOf({ influencedBy: ['web-search'] }))).toBe('allow');
    const { reasons } = decide(parsePolicy(toxic), mail(['issues']));
    expect(reasons).toContainEqual({
      step: 'flow',
      text: 'Rule 1 denies: Words of strangers send no mail.',
      effect: 'deny',
      rule: 1,
    });
  });

  it('are no flows from a server to itself', () => {
    const own = { rules: [{ effect: 'allow' }, { effect: 'deny', influencedBy: '*' }] };
    expect(effectOf(own, callOf({ influencedBy: ['files'] }))).toBe('allow');
    expect(effectOf(own, callOf({ influencedBy: ['files', 'x'] }))).toBe('deny');
  });

  it('are allowed only from the servers that a rule names', () => {
    const narrow = { rules: [{ effect: 'allow', server: 'mail', influencedBy: ['calendar'] }] };
    const mail = (influencedBy: string[]): Effect => effectOf(narrow, callOf({ server: 'mail', influencedBy }));
    expect([mail([]), mail(['calendar']), mail(['calendar', 'web'])]).toEqual(['allow', 'allow', 'ask']);
    const none = { rules: [{ effect: 'allow', influencedBy: [] }] };
    expect(effectOf(none, callOf())).toBe('allow');
    expect(effectOf(none, callOf({ influencedBy: ['x'] }))).toBe('ask');
  });
});

describe('approvals and pins', () => {
  const approved: ApprovalState = {
    seen: 'same',
    changes: [],
    approval: { for: 'always', at: '2026-01-01T00:00:00.000Z' },
  };
  const changed: ApprovalState = { seen: 'changed', changes: [{ path: '/description', before: 'a', after: 'b' }] };

  it('turn an ask into an allow, and never a deny', () => {
    expect(effectOf({}, callOf(), approved)).toBe('allow');
    expect(effectOf({ rules: [{ effect: 'ask' }] }, callOf(), approved)).toBe('allow');
    expect(effectOf({ rules: [{ effect: 'deny' }] }, callOf(), approved)).toBe('deny');
  });

  it('do not count where a rule asks every time', () => {
    const policy = parsePolicy({ rules: [{ effect: 'ask', everyTime: true }] });
    expect(decide(policy, callOf(), approved)).toMatchObject({ effect: 'ask', everyTime: true });
  });

  it('do not count where the tool itself wants its user asked, trusted or not', () => {
    const allow = { askFlags: ['example/ask'], rules: [{ effect: 'allow' }] };
    const flagged = (key: string, value: Json = true): CallSubject =>
      callOf({ tool: toolOf('pay', { _meta: { [key]: value } }), isTrusted: true });
    expect(effectOf(allow, flagged('anthropic/requiresUserInteraction'), approved)).toBe('ask');
    expect(effectOf(allow, flagged('example/ask'), approved)).toBe('ask');
    expect(effectOf(allow, flagged('anthropic/requiresUserInteraction', false), approved)).toBe('allow');
    expect(decide(parsePolicy(allow), flagged('example/ask')).everyTime).toBe(true);
  });

  it('hold a changed, new or unclear definition, also where a rule allows it', () => {
    const allow = { rules: [{ effect: 'allow' }] };
    for (const seen of ['changed', 'new', 'unclear'] as const) {
      expect(effectOf(allow, callOf(), { ...changed, seen })).toBe('ask');
      expect(effectOf({ ...allow, pin: 'deny' }, callOf(), { ...changed, seen })).toBe('deny');
      expect(effectOf({ ...allow, pin: 'off' }, callOf(), { ...changed, seen })).toBe('allow');
    }
    for (const seen of ['first', 'same'] as const)
      expect(effectOf(allow, callOf(), { seen, changes: [] })).toBe('allow');
    expect(effectOf({ ...allow, default: 'deny', rules: [] }, callOf(), changed)).toBe('deny');
  });
});
