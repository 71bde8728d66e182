import { describe, expect, it } from 'vitest';
import { explain, explanationText } from '../../src/consent/explain.ts';
import { parsePolicy } from '../../src/consent/parse-policy.ts';
import { callOf, toolOf } from './subjects.ts';

const policy = parsePolicy({
  rules: [
    { effect: 'allow', annotations: { readOnly: true } },
    { effect: 'deny', server: 'mail', influencedBy: 'web', reason: 'Words of strangers send no mail.' },
    { effect: 'ask', tool: 'send', reason: 'Mail is read by people.', reviewResult: true },
  ],
});

describe('explain', () => {
  it('says in order why a call is denied, with what others know of it', () => {
    const tool = toolOf('send', { annotations: { readOnlyHint: true } });
    const call = callOf({ server: 'mail', tool, influencedBy: ['web'] });
    const state = {
      seen: 'changed' as const,
      changes: [{ path: '/description', before: 'a', after: 'b' }],
      lapsed: 'The approval of May does not count.',
    };
    const explanation = explain(policy, call, {
      state,
      facts: [
        { step: 'visibility', text: 'The tool is shown to the model.' },
        { step: 'name', text: 'The model knows it as mail__send.' },
        { step: 'server', text: 'The server comes from the file of the user.' },
      ],
    });
    expect(explanation.effect).toBe('deny');
    expect(explanationText(explanation)).toBe(
      [
        'Denied. The result is reviewed before the model sees it.',
        '1. server: The server comes from the file of the user.',
        '2. server: The server mail is not trusted: its annotations can only raise the guard.',
        '3. name: The model knows it as mail__send.',
        '4. visibility: The tool is shown to the model.',
        '5. definition: The definition has changed since it was seen or approved: /description. [ask]',
        '6. annotations: The tool counts as not read-only, destructive, not idempotent, open-world. The server says read-only, not destructive, which is not believed: it is not trusted.',
        '7. rule: Rule 2 asks: Mail is read by people. [ask]',
        '8. flow: Rule 1 denies: Words of strangers send no mail. [deny]',
        '9. approval: The approval of May does not count.',
      ].join('\n'),
    );
  });

  it('says that the default decided, and that every time is asked', () => {
    const plain = explain(policy, callOf({ isTrusted: true }));
    expect(explanationText(plain)).toMatch(
      /^The user is asked\.\n1\. server: The server files is trusted\.\n.*\n3\. default: No rule matches; the default asks\. \[ask\]$/,
    );
    const flagged = callOf({ tool: toolOf('pay', { _meta: { 'anthropic/requiresUserInteraction': true } }) });
    expect(explanationText(explain(policy, flagged))).toMatch(
      /^The user is asked\. Every time: .*\n[\s\S]*requiresUserInteraction/,
    );
  });

  it('counts a fact that denies: a hidden tool is not called', () => {
    const facts = [{ step: 'visibility' as const, text: 'The tool is for apps alone.', effect: 'deny' as const }];
    expect(explain(parsePolicy({ default: 'allow' }), callOf(), { facts }).effect).toBe('deny');
  });

  it('shows characters of servers that would act on a terminal', () => {
    const text = explanationText(explain(policy, callOf({ server: `evil\u001B[2J${'x'.repeat(500)}` })));
    expect(text).toContain('evil\\u{1b}[2J');
    expect(text).not.toContain('\u001B');
    expect(text).not.toContain('x'.repeat(250));
  });
});
