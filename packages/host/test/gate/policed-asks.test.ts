import { describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../src/audit/event.ts';
import { parsePolicy } from '../../src/consent/parse-policy.ts';
import { PolicedAsks } from '../../src/gate/policed-asks.ts';
import type { AskOptions, Asks, Provenance, QuestionKind } from '../../src/inbox/item.ts';
import type { JsonObject } from '../../src/values/json.ts';

const USER = { action: 'by the user' };
const FROM: Provenance = { server: 'web', reason: 'r' };

interface Gate {
  readonly asked: unknown[];
  readonly written: AuditEvent[];
  ask(kind: QuestionKind, question: object, from?: Provenance, options?: AskOptions): Promise<unknown>;
}

function gate(policy: unknown, isTrusted = false): Gate {
  const asked: unknown[] = [];
  const written: AuditEvent[] = [];
  const asks = { ask: async (...all: unknown[]) => (asked.push(all), USER) } as unknown as Asks;
  const parsed = parsePolicy(policy);
  const policed = new PolicedAsks({
    asks,
    audit: { write: (event: AuditEvent) => void written.push(event) } as never,
    policy: () => parsed,
    isTrusted: () => isTrusted,
  });
  return {
    asked,
    written,
    ask: (kind, question, from = FROM, options) => policed.ask(kind, question as never, from, options),
  };
}

const deny = (action: string, more: object = {}): object => ({ rules: [{ effect: 'deny', action, ...more }] });
const allow = (action: string, more: object = {}): object => ({ rules: [{ effect: 'allow', action, ...more }] });
const QUESTIONS: readonly [QuestionKind, string, JsonObject, unknown, unknown][] = [
  ['form', 'elicit', { message: 'm', requestedSchema: {} }, { action: 'decline' }, USER],
  ['url', 'elicit', { message: 'm', url: 'https://a.example/' }, { action: 'decline' }, USER],
  ['sampling', 'sample', { request: {} }, { action: 'deny', message: 'A rule denies it.' }, { action: 'allow' }],
  [
    'sampled',
    'sample',
    { request: {}, result: {} },
    { action: 'deny', message: 'A rule denies it.' },
    { action: 'allow' },
  ],
  ['roots', 'roots', { roots: [] }, { action: 'deny' }, { action: 'allow' }],
];

describe('a question of a server', () => {
  it.each(QUESTIONS)('%s is refused where a rule for %s denies it', async (kind, action, question, refusal) => {
    const at = gate(deny(action));
    expect(await at.ask(kind, question)).toEqual(refusal);
    expect(at.asked).toEqual([]);
    expect(at.written).toMatchObject([{ type: 'decision', server: 'web', details: { action, effect: 'deny' } }]);
  });

  it.each(QUESTIONS)(
    '%s is allowed by a rule for %s, unless only a person can answer',
    async (kind, action, ...rest) => {
      const [question, , permission] = rest;
      const at = gate(allow(action));
      expect(await at.ask(kind, question)).toEqual(permission);
      expect(at.asked).toHaveLength(permission === USER ? 1 : 0);
    },
  );

  it.each(QUESTIONS)('%s goes to the user without a rule, as it came', async (kind, _action, question) => {
    const at = gate({});
    const options = { signal: new AbortController().signal };
    expect(await at.ask(kind, question, FROM, options)).toBe(USER);
    expect(at.asked).toEqual([[kind, question, FROM, options]]);
    expect(at.written).toHaveLength(1);
  });

  it('goes to the user without a decision: one of the host, of another kind, or refused before', async () => {
    const rules = ['elicit', 'sample', 'roots', 'start'].map((action) => ({ effect: 'deny', action }));
    const at = gate({ default: 'deny', rules });
    const form = { message: 'm', requestedSchema: {} };
    expect(await at.ask('form', form, { reason: 'r' })).toBe(USER);
    expect(await at.ask('start', { target: 't', warnings: [], isChanged: false })).toBe(USER);
    expect(await at.ask('form', form, FROM, { refused: 'not taken' } as never)).toBe(USER);
    expect(at.written).toEqual([]);
  });

  it('is written down with the call that led to it', async () => {
    const at = gate({}, true);
    await at.ask('roots', { roots: [] }, { ...FROM, call: { id: 'c1', tool: 't', arguments: {} } });
    expect(at.written).toMatchObject([{ call: 'c1', details: { isTrusted: true, influencedBy: [] } }]);
  });

  it('is named for rules: a page by its address, a form as one, words by their model', async () => {
    const named = async (kind: QuestionKind, question: object): Promise<unknown> => {
      const at = gate({});
      await at.ask(kind, question);
      return at.written[0]?.details['name'];
    };
    expect(await named('url', { url: 'https://a.example/x' })).toBe('https://a.example/x');
    expect(await named('form', {})).toBe('form');
    expect(await named('roots', { roots: [] })).toBe('');
    expect(await named('sampling', { request: {}, model: 'm1' })).toBe('m1');
    expect(await named('sampling', { request: {} })).toBe('');
    expect(await named('sampled', { request: {}, result: { model: 'm2' } })).toBe('m2');
    expect(await named('sampled', { request: {}, result: { model: 5 } })).toBe('');
  });

  it('for a model shows rules its facts and not its words', async () => {
    const facts = async (kind: QuestionKind, request: JsonObject): Promise<unknown> => {
      const at = gate({});
      await at.ask(kind, { request, result: {} });
      return at.written[0]?.details['arguments'];
    };
    const tools = [{ name: 'a' }, { other: 1 }, 'odd', { name: 'b' }];
    const request = { messages: ['secret'], maxTokens: 5, includeContext: 'allServers', tools };
    const expected = { maxTokens: 5, includeContext: 'allServers', tools: ['a', 'b'] };
    expect(await facts('sampling', request)).toEqual({ step: 'request', ...expected });
    expect(await facts('sampled', request)).toEqual({ step: 'answer', ...expected });
    expect(await facts('sampling', { tools: 'odd' })).toEqual({ step: 'request', includeContext: 'none', tools: [] });
  });

  it('for a model is allowed, and its words are still reviewed where a rule says so', async () => {
    const policy = allow('sample', { reviewResult: true });
    expect(await gate(policy).ask('sampling', { request: {} })).toEqual({ action: 'allow' });
    expect(await gate(policy).ask('sampled', { request: {}, result: {} })).toBe(USER);
    const both = { rules: [{ effect: 'deny', action: 'sample', reviewResult: true }] };
    expect(await gate(both).ask('sampled', { request: {}, result: {} })).toMatchObject({ action: 'deny' });
  });
});
