import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { broken, crosspoint, EVERYTHING, OFFERING } from '../crosspoint.ts';

describe.each(['handshake', 'per-request'] as const)('prompts of a %s server', (family) => {
  it('are listed and got with texts as they are, and their arguments are completed', async () => {
    const { home, run } = crosspoint();
    await run(['connect', '--as', 'o', '--family', family, ...OFFERING]);
    expect((await run(['prompts', 'ls', 'o'])).json().prompts).toMatchObject([
      { name: 'introduce', arguments: [{ name: 'team' }, { name: 'person' }, { name: 'tone' }] },
    ]);
    writeFileSync(join(home, 'tone'), 'line\n\ttwo = 2');
    const got = await run(['prompts', 'get', 'o', 'introduce', 'team= 1 ', 'person=a=b:=c', 'tone=@tone']);
    const sent = { team: ' 1 ', person: 'a=b:=c', tone: 'line\n\ttwo = 2' };
    expect(JSON.parse(got.json().messages[0].content.text.slice('\u001B[1m'.length))).toEqual(sent);
    const piped = await run(['prompts', 'get', 'o', 'introduce', '--args', '-'], { input: JSON.stringify(sent) });
    expect(piped.json()).toEqual(got.json());
    const values = async (...words: string[]): Promise<string[]> =>
      (await run(['complete', 'o', ...words])).json().completion.values;
    expect(await values('prompt', 'introduce', 'team=s')).toEqual(['sales']);
    expect(await values('prompt', 'introduce', 'person=a', 'team=sales')).toEqual(['ada', 'alan']);
    expect(await values('prompt', 'introduce', 'person=')).toEqual([]);
    const template = 'people://{team}/{person}{?size}';
    expect(await values('template', template, 'person=g', 'team=research')).toEqual(['grace']);
    expect((await run(['complete', 'o', 'template', template, 'person=', '--text'])).stdout).toBe(
      'ada\nalan\ngrace\nbarbara\n',
    );
  });
});

describe('crosspoint prompts and complete', () => {
  it('never guess: a wrong name is an error with similar ones, a missing argument is named, nothing is sent', async () => {
    const { run } = crosspoint();
    await run(['connect', '--as', 'o', ...OFFERING]);
    const wrong = async (words: string[]) => {
      const { code, stdout, error } = await run(words);
      expect({ words, code, stdout }).toEqual({ words, code: 1, stdout: '' });
      return error();
    };
    expect((await wrong(['prompts', 'get', 'o', 'introduc'])).suggestions).toEqual(['introduce']);
    expect((await wrong(['prompts', 'get', 'o', 'introduce', 'tone=x'])).message).toContain('"team", "person"');
    expect((await wrong(['prompts', 'get', 'o', 'introduce', 'teem=x'])).suggestions).toEqual(['team']);
    await wrong(['prompts', 'get', 'o', 'introduce', 'team:=1', 'person=x']);
    await wrong(['prompts', 'get', 'o', 'introduce', 'team=x', 'team=y', 'person=x']);
    expect((await wrong(['complete', 'o', 'prompt', 'introduc', 'team='])).suggestions).toEqual(['introduce']);
    expect((await wrong(['complete', 'o', 'prompt', 'introduce', 'teem='])).suggestions).toEqual(['team']);
    expect((await wrong(['complete', 'o', 'prompt', 'introduce', 'team=', 'persn=x'])).suggestions).toEqual(['person']);
    await wrong(['complete', 'o', 'prompt', 'introduce', 'team=', 'team=x']);
    await wrong(['complete', 'o', 'template', 'people://{team}', 'team=']);
    await wrong(['complete', 'o', 'template', 'people://{team}/{person}{?size}', 'teem=']);
    await wrong(['complete', 'o', 'tool', 'introduce', 'team=']);
    const sent = (await run(['timeline', 'o'])).stdout;
    expect(sent).not.toMatch(/prompts\/get|completion\/complete/);
    expect(sent).toContain('prompts/list');
  });

  it('show no character of a server that acts on a terminal, also in an error', async () => {
    const { run } = crosspoint();
    const listed = await run(['prompts', 'ls', '--text', ...OFFERING]);
    expect(listed.stdout).toBe('introduce(team, person, tone?)\n    Introduces \\u{1b}[2Jsomebody\n');
    const got = await run(['prompts', 'get', 'introduce', 'team=x', 'person=y', '--text', ...OFFERING]);
    expect(got.stdout).toMatch(/^user: \\u\{1b\}\[1m/);
    const missing = await run(['prompts', 'get', 'p', '--text', ...broken('results')]);
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toContain('"a\\u{9b}31m"');
    const facts = await run(['prompts', 'get', 'p', ...broken('results')]);
    expect(facts.stderr).not.toContain('\u009B');
    expect(facts.error().message).toContain('a\u009B31m');
  });

  it('say with exit code 1 that a server has none, with 5 that a list is refused, with 6 that an answer is broken', async () => {
    const { run } = crosspoint();
    for (const words of [
      ['prompts', 'ls'],
      ['prompts', 'get', 'p'],
      ['complete', 'prompt', 'p', 'a='],
    ]) {
      const { code, error } = await run([...words, ...broken('none')]);
      expect({ words, code, message: error().message }).toEqual({
        words,
        code: 1,
        message: expect.stringContaining('no capability "prompts"'),
      });
    }
    expect((await run(['prompts', 'ls', ...broken('prompts')])).code).toBe(5);
    expect((await run(['prompts', 'get', 'p', 'a\u009B31m=x', ...broken('results')])).code).toBe(6);
    expect((await run(['complete', 'prompt', 'p', 'a\u009B31m=x', ...broken('results')])).code).toBe(6);
  });

  it('work with the reference server', async () => {
    const { run } = crosspoint();
    await run(['connect', '--as', 'ev', ...EVERYTHING]);
    const got = await run(['prompts', 'get', 'ev', 'args-prompt', 'city=New York', '--text']);
    expect(got.stdout).toBe("user: What's weather in New York?\n");
    const chosen = await run(['complete', 'ev', 'prompt', 'completable-prompt', 'name=', 'department=Sales']);
    expect(chosen.json().completion.values).toEqual(['David', 'Eve', 'Frank']);
    const at = async (...words: string[]): Promise<string[]> =>
      (await run(['__complete', ...words])).stdout.trimEnd().split('\n');
    expect(await at('prompts', 'get', 'ev', 'comp')).toEqual(['words', 'completable-prompt']);
    expect(await at('prompts', 'get', 'ev', 'completable-prompt', '')).toEqual(['words', 'department=', 'name=']);
    expect(await at('prompts', 'get', 'ev', 'completable-prompt', 'department=En')).toEqual([
      'words',
      'department=Engineering',
    ]);
    expect(await at('complete', 'ev', 'prompt', 'completable-prompt', 'department=Sales', 'name=')).toEqual([
      'words',
      'name=David',
      'name=Eve',
      'name=Frank',
    ]);
    expect(await at('complete', 'ev', '')).toEqual(['words', 'prompt', 'template']);
    expect(await at('resources', 'read', 'ev', 'demo://resource/static/document/a')).toEqual([
      'words',
      'demo://resource/static/document/architecture.md',
    ]);
  });
});
