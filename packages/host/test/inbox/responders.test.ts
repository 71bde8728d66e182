import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  Inbox,
  parseResponderRules,
  ResponderRulesError,
  ScriptedResponder,
  type ResponderRules,
} from '../../src/index.ts';
import { EVERY, FROM } from './questions.ts';

const CALL = { id: 'c', tool: 'pay', arguments: {} };

function scripted(rules: ResponderRules): { inbox: Inbox; script: ScriptedResponder; problems: string[] } {
  const problems: string[] = [];
  const script = new ScriptedResponder(rules);
  const inbox = new Inbox({
    timeoutMs: 50,
    responders: [script.respond],
    onproblem: ({ message }) => problems.push(message),
  });
  return { inbox, script, problems };
}

describe('rules', () => {
  it('answer forms by field with the defaults of the form, and everything else in its own way', async () => {
    const { inbox, script } = scripted({
      rules: [
        { match: { kind: 'form', server: 's*', tool: 'pay', message: '*who*' }, decline: true },
        { match: { fields: ['name'] }, content: { name: 'Ada' } },
        { text: 'Roses' },
        { match: { kind: ['call', 'result'] }, answer: { action: 'allow' } },
        { roots: ['file:///home/b'] },
        { decline: true },
      ],
    });
    expect(await inbox.ask('form', EVERY.form, FROM)).toEqual({
      action: 'accept',
      content: { name: 'Ada', plan: 'free' },
    });
    expect(await inbox.ask('form', { ...EVERY.form, message: 'Say who' }, { ...FROM, call: CALL })).toEqual({
      action: 'decline',
    });
    expect(await inbox.ask('sampling', EVERY.sampling, FROM)).toMatchObject({
      action: 'allow',
      result: { model: 'scripted', content: { type: 'text', text: 'Roses' } },
    });
    expect(await inbox.ask('call', EVERY.call, FROM)).toEqual({ action: 'allow' });
    expect(await inbox.ask('roots', EVERY.roots, FROM)).toEqual({
      action: 'allow',
      roots: [{ uri: 'file:///home/b' }],
    });
    expect(await inbox.ask('url', EVERY.url, FROM)).toEqual({ action: 'decline' });
    expect(await inbox.ask('start', EVERY.start, FROM)).toEqual({ action: 'deny' });
    expect(await inbox.ask('input', EVERY.input, FROM)).toEqual({ action: 'cancel' });
    expect(script.decisions.map(({ kind, rule }) => `${kind} ${rule}`)).toEqual([
      'form 1',
      'form 0',
      'sampling 2',
      'call 3',
      'roots 4',
      'url 5',
      'start 5',
      'input 5',
    ]);
    expect(script.decisions[1]).toEqual({
      kind: 'form',
      server: 'shop',
      tool: 'pay',
      message: 'Say who',
      rule: 0,
      answer: { action: 'decline' },
    });
    expect(script.unused()).toEqual([]);
  });

  it('are used as often as they say, and those that were not are named', async () => {
    const { inbox, script } = scripted({
      rules: [
        { match: { kind: 'start' }, answer: { action: 'allow' }, times: 1 },
        { match: { kind: 'start' }, answer: { action: 'deny' } },
        { match: { server: 'nobody' }, decline: true },
      ],
    });
    expect((await inbox.ask('start', EVERY.start, FROM)).action).toBe('allow');
    expect((await inbox.ask('start', EVERY.start, FROM)).action).toBe('deny');
    expect(script.unused()).toEqual([2]);
  });

  it('that are strict leave nothing to people: what no rule answers is answered carefully at once', async () => {
    const { inbox, script, problems } = scripted({
      rules: [{ match: { kind: 'form' }, content: { name: 'A' } }],
      strict: true,
    });
    const started = Date.now();
    expect(await inbox.ask('sampling', EVERY.sampling, FROM)).toEqual({
      action: 'deny',
      message: 'No rule matches the question.',
    });
    // The rule matches, and its content does not fit the form.
    expect(await inbox.ask('form', EVERY.form, FROM)).toEqual({ action: 'cancel' });
    expect(Date.now() - started).toBeLessThan(45);
    expect(script.unmatched.map(({ kind }) => kind)).toEqual(['sampling']);
    expect(script.decisions[1]?.fault).toContain('rules[0]: The form is not filled in, see "name"');
    expect(problems).toEqual([]);
  });

  it('that are not strict leave the rest to people, and tell of an answer that does not fit', async () => {
    const { inbox, script, problems } = scripted({ rules: [{ match: { kind: 'form' }, content: { name: 'A' } }] });
    const form = inbox.ask('form', EVERY.form, FROM);
    const start = inbox.ask('start', EVERY.start, FROM);
    await new Promise((resolve) => setImmediate(resolve));
    expect(
      inbox
        .list()
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(['form', 'start']);
    expect(problems[0]).toContain('rules[0]: The form is not filled in, see "name"');
    expect((await Promise.all([form, start])).map(({ action }) => action)).toEqual(['cancel', 'deny']);
    expect(script.unmatched[0]?.answer).toBeUndefined();
  });
});

describe('a file of rules', () => {
  it('is read as the guide shows it, and answers as the guide says', async () => {
    const page = readFileSync(new URL('../../../../docs/guide/host-inbox.md', import.meta.url), 'utf8');
    const [, text = ''] = /^```json\n([\s\S]*?)^```/m.exec(page) ?? [];
    const { inbox } = scripted(parseResponderRules(text));
    const remove = { ...EVERY.call, tool: { ...EVERY.call.tool, name: 'delete_all' } };
    expect((await inbox.ask('call', remove, { server: 'files', reason: '' })).action).toBe('deny');
    expect(await inbox.ask('call', EVERY.call, FROM)).toEqual({ action: 'allow', for: 'once' });
    expect((await inbox.ask('form', { ...EVERY.form, message: 'What is your name?' }, FROM)).action).toBe('accept');
    expect((await inbox.ask('form', { ...EVERY.form, message: 'What is your name?' }, FROM)).action).toBe('cancel');
  });

  it('is read', () => {
    const text = '{ "strict": true, "rules": [{ "match": { "kind": "url" }, "decline": true, "times": 2 }] }';
    expect(parseResponderRules(text)).toEqual({
      strict: true,
      rules: [{ match: { kind: 'url' }, decline: true, times: 2 }],
    });
  });

  it.each([
    ['{', 'The rules are no JSON'],
    ['[]', 'The rules must be an object with a list "rules".'],
    ['{}', 'The rules must be an object with a list "rules".'],
    ['{ "rules": [], "stict": true }', 'The rules has a member "stict"; it may have rules, strict, $schema.'],
    ['{ "rules": [], "strict": 1 }', 'strict must be true or false.'],
    ['{ "rules": [5] }', 'rules[0] must be an object.'],
    ['{ "rules": [{}] }', 'rules[0] must have exactly one of answer, decline, content, text, roots, not 0.'],
    ['{ "rules": [{ "text": "a", "decline": true }] }', 'rules[0] must have exactly one of'],
    ['{ "rules": [{ "decline": true }, { "decline": false }] }', 'rules[1].decline must be true.'],
    ['{ "rules": [{ "answer": {} }] }', 'rules[0].answer must be an object with an "action".'],
    ['{ "rules": [{ "content": "x" }] }', 'rules[0].content must be an object with values by field.'],
    ['{ "rules": [{ "text": 1 }] }', 'rules[0].text must be a text.'],
    ['{ "rules": [{ "roots": [1] }] }', 'rules[0].roots must be a list of URIs.'],
    ['{ "rules": [{ "decline": true, "times": 0 }] }', 'rules[0].times must be a whole number above 0.'],
    ['{ "rules": [{ "decline": true, "match": [] }] }', 'rules[0].match must be an object.'],
    ['{ "rules": [{ "decline": true, "match": { "kinds": "url" } }] }', 'rules[0].match has a member "kinds"'],
    [
      '{ "rules": [{ "decline": true, "match": { "kind": "page" } }] }',
      'rules[0].match.kind must be one of start, call',
    ],
    ['{ "rules": [{ "decline": true, "match": { "server": 5 } }] }', 'rules[0].match.server must be a text'],
    [
      '{ "rules": [{ "decline": true, "match": { "fields": "a" } }] }',
      'rules[0].match.fields must be a list of names.',
    ],
    [
      '{ "rules": [{ "text": "a", "match": { "kind": "url" } }] }',
      'rules[0] answers with "text", which does not answer the kind "url".',
    ],
  ])('that reads %s is refused', (text, message) => {
    expect(() => parseResponderRules(text)).toThrow(ResponderRulesError);
    expect(() => parseResponderRules(text)).toThrow(message);
  });
});
