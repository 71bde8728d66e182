import fc from 'fast-check';
import type { ToolAnnotations } from 'crosspoint/client';
import { expect, it } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import type { ApprovalState } from '../../src/consent/approval.ts';
import { decide } from '../../src/consent/decide.ts';
import type { CallSubject, Decision } from '../../src/consent/decision.ts';
import { parsePolicy } from '../../src/consent/parse-policy.ts';
import { EFFECTS, type Policy, type Rule, type ValueTest } from '../../src/consent/policy.ts';
import { callOf, toolOf } from './subjects.ts';

const names = fc.constantFrom('a', 'b', 'ab');
const patterns = fc.oneof(names, fc.constantFrom('*', 'a*', '*b'), fc.array(names, { minLength: 1, maxLength: 2 }));
const maybe = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(of, { nil: undefined });
const hint = maybe(fc.boolean());
const values = fc.constantFrom<'a' | 'ab' | 1 | 2>('a', 'ab', 1, 2);
const tests: fc.Arbitrary<ValueTest> = fc.oneof(
  values.map((equals) => ({ equals })),
  fc.constant({ glob: 'a*' }),
  fc.constant({ min: 2 }),
  fc.constant({ absent: true as const }),
);

/** Leaves out members that are not there: a policy is JSON. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const rules: fc.Arbitrary<Rule> = fc
  .record({
    effect: fc.constantFrom(...EFFECTS),
    server: maybe(patterns),
    tool: maybe(patterns),
    arguments: maybe(fc.dictionary(fc.constantFrom('/x', '/y', '/list/*'), tests, { maxKeys: 2 })),
    annotations: maybe(fc.record({ readOnly: hint, destructive: hint, idempotent: hint, openWorld: hint })),
    influencedBy: maybe(patterns),
    reviewResult: maybe(fc.boolean()),
  })
  .map((rule) => plain(rule as Rule));

const policies: fc.Arbitrary<Policy> = fc
  .record({
    default: fc.constantFrom(...EFFECTS),
    pin: fc.constantFrom('ask' as const, 'deny' as const, 'off' as const),
    rules: fc.array(rules, { maxLength: 5 }),
  })
  .map((policy) => parsePolicy(policy));

const annotations: fc.Arbitrary<ToolAnnotations | undefined> = maybe(
  fc
    .record({ readOnlyHint: hint, destructiveHint: hint, idempotentHint: hint, openWorldHint: hint })
    .map((hints) => plain(hints as ToolAnnotations)),
);

const calls: fc.Arbitrary<CallSubject> = fc
  .record({
    server: names,
    name: names,
    annotations,
    isTrusted: fc.boolean(),
    influencedBy: fc.uniqueArray(names),
    arguments: fc.dictionary(fc.constantFrom('x', 'y'), values),
    list: fc.array(values, { maxLength: 3 }),
  })
  .map(({ name, annotations: hints, arguments: given, list, ...call }) =>
    callOf({
      ...call,
      arguments: { ...given, list },
      tool: toolOf(name, hints && { annotations: hints }),
    }),
  );

const states: fc.Arbitrary<ApprovalState | undefined> = maybe(
  fc
    .record({
      seen: fc.constantFrom('first' as const, 'same' as const, 'changed' as const, 'new' as const, 'unclear' as const),
      changes: fc.constant([]),
      approval: maybe(fc.constant({ for: 'always' as const, at: '2026-01-01T00:00:00.000Z' })),
    })
    .map((state) => plain(state as ApprovalState)),
);

const strength = ({ effect }: Decision): number => EFFECTS.indexOf(effect);
const RUNS = { numRuns: 1000 };

it('any order of the rules gives the same decision', () => {
  const shuffled = policies.chain((policy) =>
    fc.tuple(
      fc.constant(policy),
      fc.shuffledSubarray([...(policy.rules ?? [])], { minLength: policy.rules?.length ?? 0 }),
    ),
  );
  fc.assert(
    fc.property(shuffled, calls, states, ([policy, order], call, state) => {
      const one = decide(policy, call, state);
      const other = decide({ ...policy, rules: order }, call, state);
      expect([other.effect, other.reviewsResult]).toEqual([one.effect, one.reviewsResult]);
    }),
    RUNS,
  );
});

it('a rule more that denies or asks never lowers the guard, wherever it is put', () => {
  fc.assert(
    fc.property(policies, rules, fc.nat(5), calls, (policy, rule, place, call) => {
      fc.pre(rule.effect !== 'allow');
      const before = decide(policy, call);
      // A rule that asks takes the place of a default that denies: that is its purpose.
      fc.pre(before.reasons.every(({ step }) => step !== 'default') || rule.effect === 'deny');
      const more = [...(policy.rules ?? [])];
      more.splice(place, 0, rule);
      expect(strength(decide({ ...policy, rules: more }, call))).toBeGreaterThanOrEqual(strength(before));
    }),
    RUNS,
  );
});

it('a call that a rule denies stays denied, whatever is added', () => {
  fc.assert(
    fc.property(policies, rules, calls, states, (policy, rule, call, state) => {
      const isDenied = decide(policy, call, state).reasons.some(
        ({ rule: at, effect }) => at !== undefined && effect === 'deny',
      );
      fc.pre(isDenied);
      const more = { ...policy, rules: [rule, ...(policy.rules ?? [])] };
      expect(decide(more, call, state).effect).toBe('deny');
    }),
    { numRuns: 200 },
  );
});

proves('L-SECURITY-008').it('the annotations of an untrusted server never lower the guard', () => {
  fc.assert(
    fc.property(policies, calls, states, (policy, call, state) => {
      const { annotations: _none, ...silent } = call.tool;
      const untrusted = decide(policy, { ...call, isTrusted: false }, state);
      const saysNothing = decide(policy, { ...call, tool: silent, isTrusted: false }, state);
      expect(strength(untrusted)).toBeGreaterThanOrEqual(strength(saysNothing));
      expect(untrusted.reviewsResult || !saysNothing.reviewsResult).toBe(true);
    }),
    RUNS,
  );
});

it('a server that is not trusted is never treated more mildly than a trusted one', () => {
  fc.assert(
    fc.property(policies, calls, states, (policy, call, state) => {
      const untrusted = decide(policy, { ...call, isTrusted: false }, state);
      const trusted = decide(policy, { ...call, isTrusted: true }, state);
      expect(strength(untrusted)).toBeGreaterThanOrEqual(strength(trusted));
    }),
    RUNS,
  );
});

it('one more server in the conversation never lowers the guard', () => {
  fc.assert(
    fc.property(policies, calls, (policy, call) => {
      const more = { ...call, influencedBy: [...call.influencedBy, 'stranger'] };
      expect(strength(decide(policy, more))).toBeGreaterThanOrEqual(strength(decide(policy, call)));
    }),
    RUNS,
  );
});
