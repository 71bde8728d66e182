import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { AnswerError, Inbox, type AuditEvent, type InboxChange, type QuestionKind } from '../../src/index.ts';
import { EVERY, FROM, KINDS } from './questions.ts';

const CAREFUL: Readonly<Record<QuestionKind, string>> = {
  start: 'deny',
  call: 'deny',
  result: 'deny',
  form: 'cancel',
  url: 'cancel',
  sampling: 'deny',
  sampled: 'deny',
  roots: 'deny',
  login: 'deny',
  input: 'cancel',
};

const only = (inbox: Inbox): string => inbox.list()[0]?.id ?? '';

function refused(act: () => void): AnswerError {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(AnswerError);
    return error as AnswerError;
  }
  throw new Error('the answer was taken');
}

describe('the list', () => {
  it('holds the questions of all servers with their provenance, oldest first', async () => {
    const inbox = new Inbox();
    const call = { id: 'c1', tool: 'pay', arguments: { amount: 5 } };
    const first = inbox.ask('form', EVERY.form, { ...FROM, call });
    const second = inbox.ask('login', EVERY.login, { server: 'mail', reason: 'It needs a login.' });
    expect(inbox.list().map(({ kind, from }) => [kind, from.server])).toEqual([
      ['form', 'shop'],
      ['login', 'mail'],
    ]);
    expect(inbox.list({ server: 'mail' }).map(({ kind }) => kind)).toEqual(['login']);
    expect(inbox.list({ kind: ['form', 'url'] })).toHaveLength(1);
    expect(inbox.list({ call: 'c1' })[0]?.from).toEqual({ ...FROM, call });
    expect(inbox.list({ call: 'c2' })).toEqual([]);
    inbox.answer(only(inbox), { action: 'accept', content: { name: 'Ada' } });
    inbox.answer(only(inbox), { action: 'allow' });
    expect(await Promise.all([first, second])).toEqual([
      { action: 'accept', content: { name: 'Ada' } },
      { action: 'allow' },
    ]);
    expect(inbox.list()).toEqual([]);
  });

  it('has ids that cannot be guessed, and questions that do not change while they wait', () => {
    const inbox = new Inbox();
    const roots = [{ uri: 'file:///home/a' }];
    void inbox.ask('roots', { roots }, FROM);
    void inbox.ask('roots', { roots }, FROM);
    roots.push({ uri: 'file:///' });
    const [one, two] = inbox.list({ kind: 'roots' });
    expect(one?.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(one?.id.slice(0, 8)).not.toBe(two?.id.slice(0, 8));
    expect(one?.question).toEqual({ roots: [{ uri: 'file:///home/a' }] });
    inbox.close();
  });
});

describe('an answer', () => {
  proves('L-ELICITATION-021, M-ELI-038, L-ELICITATION-029, M-ELI-008').it(
    'that does not fit names the field and leaves the question there, so that it can be changed',
    async () => {
      const inbox = new Inbox();
      const asked = inbox.ask('form', EVERY.form, FROM);
      const id = only(inbox);
      const bad: [object, string][] = [
        [{ action: 'accept', content: { name: 'A' } }, 'name'],
        [{ action: 'accept', content: {} }, 'name'],
        [{ action: 'accept', content: { name: 'Ada', age: -1 } }, 'age'],
        [{ action: 'accept', content: { name: 'Ada', plan: 'gold' } }, 'plan'],
        [{ action: 'accept', content: { name: 'Ada', password: 'x' } }, 'password'],
        [{ action: 'accept' }, 'content'],
        [{ action: 'accept', content: [] }, 'content'],
        [{ action: 'decline', content: { name: 'Ada' } }, 'content'],
        [{ action: 'allow' }, 'action'],
        [{}, 'action'],
      ];
      for (const [answer, field] of bad) {
        const error = refused(() => inbox.answer(id, { ...answer }));
        expect([answer, error.field]).toEqual([answer, field]);
        expect(error.message).toContain(field);
        expect(inbox.get(id)).toBeDefined();
      }
      inbox.answer(id, { action: 'accept', content: { name: 'Ada', age: 36 } });
      expect(await asked).toEqual({ action: 'accept', content: { name: 'Ada', age: 36 } });
    },
  );

  it('of another kind is refused by the kind of its question', () => {
    const inbox = new Inbox();
    const cases: [QuestionKind, object, string][] = [
      ['call', { action: 'allow', for: 'ever' }, 'for'],
      ['call', { action: 'allow', arguments: 'x' }, 'arguments'],
      ['call', { action: 'allow', fro: 'once' }, 'fro'],
      ['call', { action: '__proto__' }, 'action'],
      ['sampling', { action: 'allow', result: { role: 'assistant', content: 'text' } }, 'result'],
      ['sampled', { action: 'allow', result: { role: 'assistant', model: 'm', content: [] } }, 'result'],
      ['roots', { action: 'allow', roots: [{ uri: 'file:///etc' }] }, 'roots'],
      ['input', { action: 'accept' }, 'value'],
      ['start', { action: 'accept' }, 'action'],
      ['result', { action: 'deny', message: 5 }, 'message'],
      ['call', { action: 'allow', arguments: { f: () => 1 } }, ''],
    ];
    for (const [kind, answer, field] of cases) {
      void inbox.ask(kind, EVERY[kind], FROM);
      const [item] = inbox.list({ kind });
      expect([kind, answer, refused(() => inbox.answer(item?.id ?? '', { ...answer })).field]).toEqual([
        kind,
        answer,
        field,
      ]);
    }
    const { id } = { id: 'env' };
    const options = [{ label: 'Test', value: 'test' }];
    void inbox.ask('input', { id, title: 'Where', isSecret: false, options }, FROM);
    const item = inbox.list({ kind: 'input' }).at(-1);
    expect(refused(() => inbox.answer(item?.id ?? '', { action: 'accept', value: 'live' })).message).toBe(
      'The value of "env" is none of its options.',
    );
    inbox.close();
  });

  it('is taken once', async () => {
    const inbox = new Inbox();
    const asked = inbox.ask('url', EVERY.url, FROM);
    const id = only(inbox);
    inbox.answer(id, { action: 'decline' });
    expect(refused(() => inbox.answer(id, { action: 'accept' })).field).toBe('id');
    expect(refused(() => inbox.answer('nothing', { action: 'accept' })).field).toBe('id');
    expect(await asked).toEqual({ action: 'decline' });
  });
});

describe('a question that nobody answers', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each(KINDS)('of kind %s is answered carefully after ten minutes', async (kind) => {
    const changes: string[] = [];
    const inbox = new Inbox();
    inbox.watch(({ type }) => changes.push(type));
    const asked = inbox.ask(kind, EVERY[kind], FROM);
    expect((inbox.list()[0]?.expiresAt ?? 0) - Date.now()).toBe(600_000);
    await vi.advanceTimersByTimeAsync(599_999);
    expect(inbox.list()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect((await asked).action).toBe(CAREFUL[kind]);
    expect(changes).toEqual(['asked', 'expired']);
    expect(inbox.list()).toEqual([]);
  });

  it('has the time that it was asked with, and a timer that no number breaks', async () => {
    const inbox = new Inbox({ timeoutMs: 1000 });
    const short = inbox.ask('start', EVERY.start, FROM, { timeoutMs: 10 });
    const long = inbox.ask('start', EVERY.start, FROM, { timeoutMs: Number.POSITIVE_INFINITY });
    await vi.advanceTimersByTimeAsync(2000);
    expect(await short).toEqual({ action: 'deny' });
    expect(inbox.list()).toHaveLength(1);
    inbox.close();
    expect(await long).toEqual({ action: 'deny' });
  });
});

describe('a question', () => {
  it('is withdrawn when its signal aborts, also before it is asked', async () => {
    const changes: InboxChange[] = [];
    const inbox = new Inbox();
    inbox.watch((change) => changes.push(change));
    const gone = new AbortController();
    const asked = inbox.ask('form', EVERY.form, FROM, { signal: gone.signal });
    gone.abort();
    expect(await asked).toEqual({ action: 'cancel' });
    expect(await inbox.ask('call', EVERY.call, FROM, { signal: gone.signal })).toEqual({
      action: 'deny',
      message: 'The question was withdrawn.',
    });
    expect(changes.map(({ type }) => type)).toEqual(['asked', 'withdrawn']);
    expect(inbox.list()).toEqual([]);
  });

  it('of a flooding server is refused, and those of others are not', async () => {
    const problems: string[] = [];
    const inbox = new Inbox({ maxPerServer: 3, onproblem: ({ message }) => problems.push(message) });
    const flood = Array.from({ length: 100 }, () => inbox.ask('form', EVERY.form, { server: 'spam', reason: '' }));
    expect(await flood[3]).toEqual({ action: 'cancel' });
    expect(inbox.list({ server: 'spam' })).toHaveLength(3);
    expect(problems[0]).toBe(
      'A question (form) of the server "spam" was refused: 3 questions of this server wait for an answer already.',
    );
    const other = inbox.ask('form', EVERY.form, FROM);
    inbox.answer(inbox.list({ server: 'shop' })[0]?.id ?? '', { action: 'accept', content: { name: 'Ada' } });
    expect((await other).action).toBe('accept');
    inbox.close();
    expect((await Promise.all(flood)).every(({ action }) => action === 'cancel')).toBe(true);
  });

  it('is refused when too many wait, when it is too large, when it is no JSON, and after the end', async () => {
    const problems: string[] = [];
    const inbox = new Inbox({ maxItems: 1, maxBytes: 1000, onproblem: ({ message }) => problems.push(message) });
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const huge = { ...EVERY.form, message: 'x'.repeat(2000) };
    expect((await inbox.ask('form', huge, FROM)).action).toBe('cancel');
    expect((await inbox.ask('result', { tool: 't', result: circle as never }, FROM)).action).toBe('deny');
    const long = { ...EVERY.url, url: `https://x.example/${'a'.repeat(9000)}` };
    expect((await new Inbox().ask('url', long, FROM)).action).toBe('cancel');
    const waiting = inbox.ask('url', EVERY.url, FROM);
    expect((await inbox.ask('call', EVERY.call, { reason: '' })).action).toBe('deny');
    expect(problems).toHaveLength(3);
    inbox.close();
    expect((await waiting).action).toBe('cancel');
    expect(await inbox.ask('sampling', EVERY.sampling, FROM)).toEqual({
      action: 'deny',
      message: 'The host is closing.',
    });
  });
});

describe('listeners', () => {
  it('are told of every change until they end; one that fails hurts nobody', async () => {
    const problems: string[] = [];
    const inbox = new Inbox({ onproblem: ({ message }) => problems.push(message) });
    const seen: string[] = [];
    inbox.watch(() => {
      throw new Error('first');
    });
    inbox.watch((() => Promise.reject(new Error('second'))) as () => void);
    const end = inbox.watch((change) =>
      seen.push(change.type === 'answered' ? `${change.action} by ${change.by}` : change.type),
    );
    const asked = inbox.ask('url', EVERY.url, FROM);
    inbox.answer(only(inbox), { action: 'accept' });
    expect(await asked).toEqual({ action: 'accept' });
    end();
    void inbox.ask('url', EVERY.url, FROM);
    inbox.close();
    expect(seen).toEqual(['asked', 'accept by person']);
    await vi.waitFor(() => expect(problems.some((text) => text.includes('second'))).toBe(true));
    expect(problems[0]).toBe('A listener of the inbox failed: first');
  });
});

describe('responders', () => {
  it('are tried in order before people see a question; those that fail or answer wrongly are passed over', async () => {
    const problems: string[] = [];
    const seen: InboxChange[] = [];
    const inbox = new Inbox({
      onproblem: ({ message }) => problems.push(message),
      responders: [
        () => undefined,
        () => Promise.reject(new Error('broken')),
        () => ({ action: 'accept', content: { name: '' } }),
        ({ kind }) => (kind === 'form' ? Promise.resolve({ action: 'decline' }) : undefined),
      ],
    });
    inbox.watch((change) => seen.push(change));
    const asked = inbox.ask('form', EVERY.form, FROM);
    expect(inbox.list()).toEqual([]);
    expect(await asked).toEqual({ action: 'decline' });
    expect(seen.map(({ type }) => type)).toEqual(['answered']);
    expect(problems).toHaveLength(2);
    const left = inbox.ask('start', EVERY.start, FROM);
    await vi.waitFor(() => expect(inbox.list()).toHaveLength(1));
    inbox.answer(only(inbox), { action: 'allow' });
    expect(await left).toEqual({ action: 'allow' });
  });

  it('that never answer do not hold a question for ever', async () => {
    const inbox = new Inbox({ timeoutMs: 20, responders: [() => new Promise(() => {})] });
    expect(await inbox.ask('login', EVERY.login, FROM)).toEqual({ action: 'deny' });
  });
});

it('writes questions and answers to the audit log, without the values that people gave', async () => {
  const events: AuditEvent[] = [];
  const inbox = new Inbox({ audit: { write: (event) => events.push(event) } });
  const call = { id: 'c1', tool: 'pay', arguments: {} };
  const asked = inbox.ask('form', EVERY.form, { ...FROM, call });
  const secret = inbox.ask('input', EVERY.input, FROM);
  const ids = inbox.list().map(({ id }) => id);
  inbox.answer(ids[0] ?? '', { action: 'accept', content: { name: 'Ada' } });
  inbox.answer(ids[1] ?? '', { action: 'accept', value: 'hunter2' });
  await Promise.all([asked, secret]);
  expect(events[0]).toEqual({
    type: 'question',
    server: 'shop',
    call: 'c1',
    details: { id: ids[0], kind: 'form', reason: FROM.reason },
  });
  expect(events[2]).toEqual({
    type: 'answer',
    server: 'shop',
    call: 'c1',
    details: { id: ids[0], kind: 'form', action: 'accept', by: 'person', fields: ['name'] },
  });
  expect(JSON.stringify(events)).not.toMatch(/Ada|hunter2/);
});

it('goes on when the audit log fails', async () => {
  const inbox = new Inbox({
    audit: {
      write: () => {
        throw new Error('full');
      },
    },
  });
  const asked = inbox.ask('start', EVERY.start, FROM);
  inbox.answer(only(inbox), { action: 'allow' });
  expect(await asked).toEqual({ action: 'allow' });
});
