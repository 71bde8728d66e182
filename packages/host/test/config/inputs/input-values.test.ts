import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { memoryStore } from 'crosspoint/stores';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkInput } from '../../../src/config/inputs/input-check.ts';
import { InputError } from '../../../src/config/inputs/input-error.ts';
import { InputValues } from '../../../src/config/inputs/input-values.ts';
import type { InputDefinition } from '../../../src/config/server-entry.ts';
import type { AnswerTo, Asks, Provenance, Questions } from '../../../src/inbox/item.ts';
import { MemorySecrets } from '../../../src/secrets/memory-secrets.ts';
import type { Json } from '../../../src/values/json.ts';

const SECRET = 'sk-very-secret-value';
const from: Provenance = { server: 'weather', reason: 'It needs it to start.' };

/** An inbox whose user gives these answers in turn, and cancels after them. */
function inboxWith(...answers: readonly Json[]): { asks: Asks; questions: Questions['input']['question'][] } {
  const questions: Questions['input']['question'][] = [];
  const left = [...answers];
  const ask = async (_: string, question: Questions['input']['question']): Promise<AnswerTo<'input'>> => {
    questions.push(question);
    return left.length === 0 ? { action: 'cancel' } : { action: 'accept', value: left.shift() ?? null };
  };
  return { asks: { ask } as unknown as Asks, questions };
}

function valuesWith(...answers: readonly Json[]) {
  const store = memoryStore();
  onTestFinished(() => store.close());
  const secrets = new MemorySecrets();
  const inbox = inboxWith(...answers);
  return { ...inbox, store, secrets, values: new InputValues({ ...inbox, store, secrets }) };
}

const text: InputDefinition = { id: 'unit', type: 'text', title: 'Unit' };
const key: InputDefinition = { id: 'api_key', type: 'text', title: 'Key', isSecret: true, isRequired: true };

describe('the value of an input', () => {
  it('is asked for once, with its provenance, and kept', async () => {
    const { values, questions, secrets, store } = valuesWith('celsius', SECRET);
    expect(await values.get(text, from)).toBe('celsius');
    expect(await values.get(key, from)).toBe(SECRET);
    expect(await values.get(text, from)).toBe('celsius');
    expect(await values.get(key, from)).toBe(SECRET);
    expect(questions).toEqual([
      { id: 'unit', title: 'Unit', isSecret: false, type: 'text' },
      { id: 'api_key', title: 'Key', isSecret: true, type: 'text', isRequired: true },
    ]);
    expect(await secrets.names()).toEqual(['input/weather/api_key']);
    for (const name of await store.keys('')) expect(JSON.stringify(await store.get(name))).not.toContain(SECRET);
    expect(inspect(values, { depth: 9, showHidden: true })).not.toContain(SECRET);
  });

  it('is asked for once when it is needed several times at once', async () => {
    const { values, questions } = valuesWith('celsius');
    expect(await Promise.all([values.get(text, from), values.get(text, from), values.get(text, from)])).toEqual([
      'celsius',
      'celsius',
      'celsius',
    ]);
    expect(questions).toHaveLength(1);
  });

  it('belongs to one server', async () => {
    const { values, questions, secrets } = valuesWith(SECRET, 'other');
    await values.get(key, from);
    expect(await values.get(key, { ...from, server: 'spy' })).toBe('other');
    expect(questions).toHaveLength(2);
    expect(await secrets.names()).toEqual(['input/spy/api_key', 'input/weather/api_key']);
  });

  it('cannot be reached by a server whose name looks like another with an id', async () => {
    const { values, secrets } = valuesWith('a', 'b', 'c', 'd');
    const one = { ...key, id: 'b/c' };
    await values.get(one, { ...from, server: 'a' });
    expect(await values.get({ ...key, id: 'c' }, { ...from, server: 'a/b' })).toBe('b');
    await values.get({ ...key, id: '..' }, { ...from, server: '../..' });
    await values.get({ ...key, id: 'ü!*()' }, { ...from, server: 'x'.repeat(500) });
    expect(new Set(await secrets.names()).size).toBe(4);
  });

  it('that was not given is a typed error without a value, and nothing is kept', async () => {
    const { values, secrets } = valuesWith();
    const error = await values.get(key, from).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(InputError);
    expect(error).toMatchObject({ fault: 'cancelled', input: 'api_key' });
    expect(await secrets.names()).toEqual([]);
    expect(await values.list()).toEqual([]);
  });

  it('is asked for again with the reason where it does not fit, three times at most', async () => {
    const number: InputDefinition = { id: 'n', type: 'number', minimum: 1, maximum: 9, isRequired: true, default: 5 };
    const { values, questions } = valuesWith('x', 10, '7');
    expect(await values.get(number, from)).toBe(7);
    expect(questions.map(({ problem }) => problem)).toEqual([
      undefined,
      'It has to be a number.',
      'It can be at most 9.',
    ]);
    expect(questions[0]).toMatchObject({ title: 'n', minimum: 1, maximum: 9, default: 5, isRequired: true });
    const tired = valuesWith(SECRET, SECRET, SECRET, 1);
    const error = (await tired.values.get(number, from).catch((one: unknown) => one)) as InputError;
    expect(error.fault).toBe('invalid');
    expect(error.message).not.toContain(SECRET);
    expect(tired.questions).toHaveLength(3);
  });

  it('that is optional may be left empty, and is not asked for again', async () => {
    const { values, questions } = valuesWith('', null);
    const optionalKey = { ...key, isRequired: false };
    expect(await values.all([text, optionalKey], from)).toEqual({ unit: null, api_key: null });
    expect(await values.all([text, optionalKey], from)).toEqual({ unit: null, api_key: null });
    expect(questions).toHaveLength(2);
  });

  it('that no longer fits its definition is asked for again', async () => {
    const { values, questions } = valuesWith('celsius', 'kelvin');
    await values.get(text, from);
    const choice: InputDefinition = { ...text, type: 'choice', options: [{ label: 'K', value: 'kelvin' }] };
    expect(await values.get(choice, from)).toBe('kelvin');
    expect(questions[1]).toMatchObject({
      default: 'celsius',
      problem: expect.stringContaining('does not fit any more'),
    });
  });

  it('that became a secret leaves no copy behind, and the other way round', async () => {
    const { values, store, secrets } = valuesWith('plain', SECRET, 'plain again');
    await values.get({ ...key, isSecret: false }, from);
    expect(await values.get(key, from)).toBe(SECRET);
    expect(JSON.stringify(await store.get('host/inputs/weather/api_key'))).not.toContain('plain');
    await values.edit({ ...key, isSecret: false }, from);
    expect(await secrets.names()).toEqual([]);
  });

  it('that is a secret list or number is kept whole', async () => {
    const { values, secrets } = valuesWith(['a', 'b'], 7);
    const list = { ...key, isList: true };
    expect(await values.get(list, from)).toEqual(['a', 'b']);
    expect(await values.get(list, from)).toEqual(['a', 'b']);
    const number: InputDefinition = { id: 'pin', type: 'number', isSecret: true };
    expect(await values.get(number, from)).toBe(7);
    expect(await values.get(number, from)).toBe(7);
    await secrets.set('input/weather/pin', 'not json');
    await expect(values.get(number, from)).rejects.toMatchObject({ fault: 'cancelled' });
  });

  it('that the keychain lost is asked for again', async () => {
    const { values, secrets } = valuesWith(SECRET, 'second');
    await values.get(key, from);
    await secrets.delete('input/weather/api_key');
    expect(await values.get(key, from)).toBe('second');
  });

  it('can be listed, edited, set and reset', async () => {
    const { values, questions } = valuesWith('celsius', SECRET, 'kelvin', 'new secret');
    await values.all([text, key], from);
    await values.set({ ...text, id: 'more' }, 'x', 'other/server');
    expect(await values.list('weather')).toEqual([
      { server: 'weather', id: 'api_key', isSecret: true },
      { server: 'weather', id: 'unit', isSecret: false, value: 'celsius' },
    ]);
    expect(await values.list()).toHaveLength(3);
    expect(await values.edit(text, from)).toBe('kelvin');
    expect(questions[2]).toMatchObject({ default: 'celsius' });
    expect(await values.edit(key, from)).toBe('new secret');
    expect(JSON.stringify(questions)).not.toContain(SECRET);
    await expect(values.edit(key, from)).rejects.toMatchObject({ fault: 'cancelled' });
    expect(await values.get(key, from)).toBe('new secret');
    await expect(values.set({ ...key, type: 'number' }, SECRET, 'weather')).rejects.toMatchObject({ fault: 'invalid' });
    expect(await values.get(key, from)).toBe('new secret');
    expect(await values.reset('unit', 'weather')).toBe(true);
    expect(await values.reset('unit', 'weather')).toBe(false);
    expect(await values.resetAll('weather')).toEqual(['api_key']);
    expect(await values.list()).toEqual([{ server: 'other/server', id: 'more', isSecret: false, value: 'x' }]);
  });

  it('is asked for in words whose unseen characters are visible, and not without end', async () => {
    const { values, questions } = valuesWith('a');
    await values.get(
      {
        ...text,
        title: `T\u001B[31m${'x'.repeat(999)}`,
        description: 'pay\u202Eme\nnow',
        options: [{ label: '\u0007', value: 'a' }],
      },
      from,
    );
    expect(questions[0]?.title).toMatch(/^T\\u\{1b\}\[31mx+$/);
    expect(questions[0]?.title).toHaveLength(200);
    expect(questions[0]).toMatchObject({
      description: 'pay\\u{202e}me\nnow',
      options: [{ label: '\\u{7}', value: 'a' }],
    });
  });
});

describe('an answer', () => {
  it.each<[InputDefinition['type'], Json, Json | RegExp, object?]>([
    ['text', 'a', 'a'],
    ['text', 1, /has to be a text/],
    ['text', 'a\0', /NUL/],
    ['text', 'x'.repeat(70_000), /at most 65536/],
    ['text', '', null],
    ['text', '', /needed/, { isRequired: true }],
    ['text', [], /needed/, { isRequired: true, isList: true }],
    ['text', 'a', ['a'], { isList: true }],
    ['text', ['a', 1], /has to be a text/, { isList: true }],
    ['text', ['a'], /has to be a text/],
    ['text', Array(1001).fill('a'), /at most 1000 values/, { isList: true }],
    ['command', 'a', 'a'],
    ['number', ' -1.5e2 ', -150],
    ['number', '0x10', /has to be a number/],
    ['number', 'Infinity', /has to be a number/],
    ['number', '1e999', /has to be a number/],
    ['number', true, /has to be a number/],
    ['number', 0, /at least 1/, { minimum: 1 }],
    ['boolean', 'true', true],
    ['boolean', false, false],
    ['boolean', 'yes', /true or false/],
    ['choice', 'a', 'a', { options: [{ label: 'A', value: 'a' }] }],
    ['choice', 'A', /one of the choices/, { options: [{ label: 'A', value: 'a' }] }],
    ['choice', 'A', /one of the choices/],
    ['directory', 'relative', /absolute path/],
    ['directory', '/nowhere/at/all', /no such directory/],
    ['directory', '~/', join(homedir(), '/')],
    ['directory', 7, /has to be a text/],
  ])('to a %s: %j', async (type, answer, expected, more = {}) => {
    const checked = await checkInput({ id: 'a', type, ...more }, answer);
    if (expected instanceof RegExp) expect(checked).toEqual({ fault: expect.stringMatching(expected) });
    else expect('value' in checked ? checked.value : checked).toEqual(expected);
  });

  it('that is a path names what is there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crosspoint-inputs-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'data.db');
    await writeFile(file, '');
    expect(await checkInput({ id: 'a', type: 'file' }, file)).toEqual({ value: file });
    expect(await checkInput({ id: 'a', type: 'file' }, folder)).toEqual({ fault: 'It is not a file.' });
    expect(await checkInput({ id: 'a', type: 'directory' }, file)).toEqual({ fault: 'It is not a directory.' });
    expect(await checkInput({ id: 'a', type: 'directory', isList: true }, [folder])).toEqual({ value: [folder] });
  });
});
