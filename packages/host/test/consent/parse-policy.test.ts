import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../src/consent/parse-policy.ts';
import { PolicyError, type PolicyProblem } from '../../src/consent/policy-error.ts';

function problemsOf(source: unknown): readonly PolicyProblem[] {
  try {
    parsePolicy(source);
  } catch (error) {
    expect(error).toBeInstanceOf(PolicyError);
    return (error as PolicyError).problems;
  }
  return [];
}

const whole = {
  default: { call: 'ask', read: 'allow' },
  pin: 'deny',
  askFlags: ['example/ask'],
  rules: [
    {
      effect: 'allow',
      action: 'call',
      server: ['files', 'git*'],
      tool: 'read_*',
      arguments: {
        '/path': { within: '/home/me' },
        '/paths/*': { glob: '*.md' },
        '/limit': { min: 1, max: 10 },
        '/mode': { in: ['a', null, 1] },
        '/force': { absent: true },
        '/deep/0': { equals: { a: [1] } },
      },
      annotations: { readOnly: true, openWorld: false, destructive: false, idempotent: true },
      influencedBy: [],
      reviewResult: true,
      reason: 'Notes may be read.',
    },
    { effect: 'ask', everyTime: true, influencedBy: 'web' },
    { effect: 'deny', action: 'start', name: 'npx *' },
  ],
};

describe('parsePolicy', () => {
  it('reads every member, from a text and from a value', () => {
    expect(parsePolicy(whole)).toEqual(whole);
    expect(parsePolicy(`\uFEFF${JSON.stringify(whole)}`)).toEqual(whole);
    expect(parsePolicy('{}')).toEqual({});
  });

  it('keeps a copy', () => {
    const source = { rules: [{ effect: 'deny' }] };
    const policy = parsePolicy(source);
    source.rules[0] = { effect: 'allow' };
    expect(policy.rules).toEqual([{ effect: 'deny' }]);
  });

  it.each<[unknown, string, RegExp]>([
    ['{', '', /is not JSON/],
    [' '.repeat(1_048_577), '', /at most 1048576/],
    [[], '', /must be an object/],
    [null, '', /must be an object/],
    [{ rule: [] }, '/rule', /unknown here: there are default, pin, askFlags, rules/],
    [{ default: 'maybe' }, '/default', /allow, ask, deny/],
    [{ default: { calls: 'ask' } }, '/default/calls', /unknown here/],
    [{ pin: 'warn' }, '/pin', /ask, deny, off/],
    [{ rules: {} }, '/rules', /must be a list/],
    [{ rules: [{}] }, '/rules/0', /needs an effect/],
    [{ rules: [{ effect: 'Deny' }] }, '/rules/0/effect', /one of/],
    [{ rules: [{ effect: 'deny', tools: 'x' }] }, '/rules/0/tools', /unknown here/],
    [{ rules: [{ effect: 'deny', tool: '' }] }, '/rules/0/tool', /must be a text/],
    [{ rules: [{ effect: 'deny', tool: ['a', 1] }] }, '/rules/0/tool/1', /must be a text/],
    [{ rules: [{ effect: 'deny', tool: 'a'.repeat(257) }] }, '/rules/0/tool', /at most 256/],
    [{ rules: [{ effect: 'deny', server: Array(101).fill('a') }] }, '/rules/0/server', /at most 100/],
    [{ rules: [{ effect: 'deny', name: 'a' }] }, '/rules/0/name', /a tool is named by "tool"/],
    [{ rules: [{ effect: 'deny', action: 'read', tool: 'a' }] }, '/rules/0/tool', /for calls of tools/],
    [{ rules: [{ effect: 'allow', everyTime: true }] }, '/rules/0/everyTime', /ask alone/],
    [{ rules: [{ effect: 'deny', influencedBy: [] }] }, '/rules/0/influencedBy', /would never match/],
    [{ rules: [{ effect: 'deny', annotations: { readonly: true } }] }, '/rules/0/annotations/readonly', /unknown/],
    [{ rules: [{ effect: 'deny', annotations: { readOnly: 'yes' } }] }, '/rules/0/annotations/readOnly', /true or/],
    [{ rules: [{ effect: 'deny', arguments: [] }] }, '/rules/0/arguments', /JSON pointer/],
    [{ rules: [{ effect: 'deny', arguments: { path: {} } }] }, '/rules/0/arguments/path', /names the argument/],
    [{ rules: [{ effect: 'deny', arguments: { '/a~2': { absent: true } } }] }, '/rules/0/arguments/~1a~02', /pointer/],
    [{ rules: [{ effect: 'deny', arguments: { '/a': {} } }] }, '/rules/0/arguments/~1a', /exactly one/],
    [{ rules: [{ effect: 'deny', arguments: { '/a': { glob: 'a', min: 1 } } }] }, '/rules/0/arguments/~1a', /exactly/],
    [{ rules: [{ effect: 'deny', arguments: { '/a': { min: '1' } } }] }, '/rules/0/arguments/~1a/min', /a number/],
    [{ rules: [{ effect: 'deny', arguments: { '/a': { absent: false } } }] }, '/rules/0/arguments/~1a/absent', /true/],
    [{ rules: [{ effect: 'deny', arguments: { '/a': { within: 'home' } } }] }, '/rules/0/arguments/~1a/within', /abs/],
    [
      { rules: [{ effect: 'deny', arguments: { '/a': { equals: 'x'.repeat(5000) } } }] },
      '/rules/0/arguments/~1a/equals',
      /4096/,
    ],
    [{ rules: [{ effect: 'deny', reason: 'x'.repeat(501) }] }, '/rules/0/reason', /at most 500/],
    [{ rules: Array.from({ length: 1001 }, () => ({ effect: 'deny' })) }, '/rules', /at most 1000/],
  ])('names the place of the fault in %.60j', (source, pointer, message) => {
    expect(problemsOf(source)).toContainEqual({ pointer, message: expect.stringMatching(message) });
  });

  it('names every fault at once, in words without characters that act on a terminal', () => {
    const source = { pin: 1, rules: [{ effect: 'x' }, { 'effect\u001B[2J': 'deny', effect: 'ask' }] };
    expect(problemsOf(source)).toHaveLength(3);
    expect(() => parsePolicy(source)).toThrow(
      /^The policy cannot be used:\n\/pin: .*\n\/rules\/0\/effect: .*\n.*u\{1b\}/,
    );
    expect(problemsOf({ rules: Array.from({ length: 1000 }, () => ({})) })).toHaveLength(100);
  });

  it('is not led astray by members of every object', () => {
    expect(problemsOf('{"rules":[{"effect":"deny","__proto__":{"tool":"a"}}]}')).toHaveLength(1);
    expect(problemsOf({ constructor: 1 })).toHaveLength(1);
  });
});
