import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LineHistory, MOST_LINES } from '../../src/commands/shell/history.ts';
import { holdsSecret } from '../../src/commands/shell/secret-line.ts';
import { splitLine, wordsOf } from '../../src/commands/shell/split-words.ts';

describe('the words of a line', () => {
  it.each([
    ['tools ls  demo ', ['tools', 'ls', 'demo']],
    ['query sql="select 1"', ['query', 'sql=select 1']],
    [`x a='"b" \\'`, ['x', 'a="b" \\']],
    [String.raw`x "a \"b\" \\ \n"`, ['x', String.raw`a "b" \ \n`]],
    [String.raw`x a\ b C:\dir`, ['x', 'a b', String.raw`C:\dir`]],
    [`x '' ""`, ['x', '', '']],
    ['x $HOME `id` $(id) | y > z', ['x', '$HOME', '`id`', '$(id)', '|', 'y', '>', 'z']],
    ['', []],
  ])('of %j are %j', (line, words) => {
    expect(wordsOf(line)).toEqual(words);
  });

  it('are an error where a quote is open, and known for completion', () => {
    expect(() => wordsOf('x "a')).toThrow('The quote " is not closed');
    expect(splitLine("x 'a b")).toEqual({ words: ['x', 'a b'], openQuote: "'", isInWord: true });
    expect(splitLine('x ')).toMatchObject({ words: ['x'], isInWord: false });
  });
});

describe('a line with a secret', () => {
  it.each([
    'tools call demo login password=hunter2',
    'tools call demo login --args x apiKey:="abc"',
    `tools call demo login 'user:={"name":"a","token":"b"}'`,
    'tools ls https://example.com --header X-Auth=abc',
    'tools ls https://me:word@example.com/mcp',
    'tools ls https://example.com/mcp?api_key=abc',
    'tools ls -- server --api-key abc',
    'tools ls -- server --token=abc',
    'tools call demo say text="Bearer abc"',
    'tools call demo say text=ghp_0123456789abcdef',
  ])('is known: %s', (line) => {
    expect(holdsSecret(wordsOf(line))).toBe(true);
  });

  it.each([
    'tools call demo add a=1 b=2',
    'tools call explorer query sql="select title from songs"',
    'tools ls https://example.com --header Authorization=@FILE',
    'tools ls https://example.com --header Authorization=env:TOKEN',
    'tools ls https://example.com/mcp?page=2',
    'secrets set token --from @FILE',
  ])('is told from others: %s', (line) => {
    expect(holdsSecret(wordsOf(line))).toBe(false);
  });
});

describe('the history', () => {
  const place = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'crosspoint-history-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return join(folder, 'state', 'history');
  };
  const open = (file: string): LineHistory =>
    new LineHistory(file, (problem) => {
      throw problem;
    });

  it('is for the user alone, the newest line first, without repeats', async () => {
    const file = place();
    const history = open(file);
    expect(await history.read()).toEqual([]);
    for (const line of ['one', 'two', 'two', ' three', 'x token=abc', 'four']) await history.add(line);
    expect(await open(file).read()).toEqual(['four', 'two', 'one']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    await open(file).add('five');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is shortened when it has grown long', async () => {
    const file = place();
    await open(file).add('first');
    writeFileSync(file, Array.from({ length: 2 * MOST_LINES + 1 }, (_, at) => `line ${at}`).join('\n'));
    expect(await open(file).read()).toHaveLength(MOST_LINES);
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(MOST_LINES);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('tells a problem once, and the shell goes on', async () => {
    const file = place();
    await open(file).add('one');
    const problems: Error[] = [];
    const history = new LineHistory(join(file, 'below', 'a-file'), (problem) => problems.push(problem));
    await history.add('two');
    await history.add('three');
    expect(problems).toHaveLength(1);
  });
});
