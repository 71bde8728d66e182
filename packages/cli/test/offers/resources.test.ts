import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { atTerminal, hasTerminal } from '../at-terminal.ts';
import { broken, crosspoint, EVERYTHING, OFFERING } from '../crosspoint.ts';
import { shown } from './shown.ts';

/** Characters that a terminal would act on. */
const acting = (text: string): string[] => ['\u001B', '\u009B', '\u202E'].filter((one) => text.includes(one));

describe.each(['handshake', 'per-request'] as const)('resources of a %s server', (family) => {
  const server = ['--family', family, ...OFFERING];

  it('are listed and read, every page; templates take their variables', async () => {
    const { run } = crosspoint();
    await run(['connect', '--as', 'o', ...server]);
    const { resources } = (await run(['resources', 'ls', 'o'])).json();
    expect(resources).toHaveLength(8);
    const [template] = (await run(['resources', 'templates', 'o'])).json().resourceTemplates;
    expect(template.uriTemplate).toBe('people://{team}/{person}{?size}');
    const read = async (...words: string[]): Promise<any> => (await run(['resources', 'read', 'o', ...words])).json();
    expect((await read('note:///page/2')).contents).toMatchObject([{ text: 'page 2' }, { text: 'more' }]);
    expect((await read('note:///bytes')).contents[0].blob).toBe('AP8bCg==');
    expect((await read(template.uriTemplate, 'team=a b', 'person=ö&')).contents[0].uri).toBe(
      'people://a%20b/%C3%B6%26',
    );
    expect((await read(template.uriTemplate, 'team=x', 'person=y', 'size=3')).contents[0].uri).toBe(
      'people://x/y?size=3',
    );
  });

  it('are told when they change, one line each, until the count; the list, too', async () => {
    const { home, run } = crosspoint();
    await run(['connect', '--as', 'o', ...server]);
    const watching = shown(home, ['resources', 'watch', 'o', 'note:///one', '--count', '2']);
    const list = shown(home, ['resources', 'watch', 'o', '--count', '1']);
    await Promise.all([watching.says(/Watching/), list.says(/Watching/)]);
    await run(['tools', 'call', 'o', 'save_note', 'text=second']);
    await watching.prints(/note:/);
    await run(['tools', 'call', 'o', 'save_note', 'text=third']);
    await run(['tools', 'call', 'o', 'grow']);
    const { code, lines } = await watching.ended;
    expect(code).toBe(0);
    expect(lines).toMatchObject([
      { at: expect.stringMatching(/^\d{4}-.*Z$/), kind: 'resource', uri: 'note:///one' },
      { kind: 'resource', uri: 'note:///one' },
    ]);
    expect(await list.ended).toMatchObject({ code: 0, lines: [{ kind: 'resources' }] });
    expect((await run(['resources', 'ls', 'o'])).json().resources).toHaveLength(9);
  });

  it('are watched until Ctrl-C, which is a normal end and leaves nothing running', async () => {
    const { home } = crosspoint();
    const file = join(home, 'pid');
    const watching = shown(home, ['resources', 'watch', 'note:///one', ...server, file]);
    await watching.says(/Watching/);
    watching.interrupt();
    expect(await watching.ended).toEqual({ code: 0, lines: [], stderr: 'Watching. Ctrl-C ends it.\n' });
    const pid = Number(readFileSync(file, 'utf8'));
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 5000 });
  });
});

describe('crosspoint resources', () => {
  it('shows no character that acts on a terminal, and writes bytes and texts as they are', async () => {
    const { home, run } = crosspoint();
    await run(['connect', '--as', 'o', ...OFFERING]);
    const text = await run(['resources', 'read', 'o', 'note:///one', '--text']);
    expect(acting(text.stdout)).toEqual([]);
    expect(text.stdout).toBe('first \\u{1b}[31mred\\u{1b}[0m \\u{9b}31m \\u{202e}back\nsecond\n');
    expect(acting((await run(['resources', 'read', 'o', 'note:///one'])).stdout)).toEqual([]);
    expect((await run(['resources', 'read', 'o', 'note:///bytes', '--text'])).stdout).toBe(
      '4 bytes of image/png; --out FILE writes them to a file.\n',
    );
    const file = join(home, 'bytes.png');
    const written = await run(['resources', 'read', 'o', 'note:///bytes', '--out', 'bytes.png']);
    expect(written.json()).toEqual({ file, uri: 'note:///bytes', mimeType: 'image/png', bytes: 4 });
    expect([...readFileSync(file)]).toEqual([0, 255, 27, 10]);
    expect((await run(['resources', 'read', 'o', 'note:///one', '--out', file])).code).toBe(1);
    expect(readFileSync(file)).toHaveLength(4);
    expect((await run(['resources', 'read', 'o', 'note:///one', '--out', file, '--replace'])).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe('first \u001B[31mred\u001B[0m \u009B31m \u202Eback\nsecond');
    expect((await run(['resources', 'read', 'o', 'note:///page/1', '--out', '-'])).code).toBe(5);
    expect((await run(['resources', 'read', 'o', 'note:///one', '--out', '-'])).stdout).toContain('\u001B[31m');
  });

  it.skipIf(!hasTerminal)('keeps the bytes of a server away from a terminal', async () => {
    const { home, run } = crosspoint();
    await run(['connect', '--as', 'o', ...OFFERING]);
    const { screen } = await atTerminal(['resources', 'read', 'o', 'note:///one'], { home, typed: [] });
    expect(screen).toContain('first \\u{1b}[31mred\\u{1b}[0m \\u{9b}31m');
    expect((await atTerminal(['resources', 'read', 'o', 'note:///one', '--out', '-'], { home, typed: [] })).code).toBe(
      1,
    );
  });

  it('never guesses: wrong addresses, templates and variables are errors that say what there is', async () => {
    const { home, run } = crosspoint();
    await run(['connect', '--as', 'o', ...OFFERING]);
    const at = async (...words: string[]) => {
      const { code, stdout, error } = await run(['resources', ...words]);
      return { code, stdout, ...error() };
    };
    expect(await at('read', 'o', 'note:///onne')).toMatchObject({
      code: 5,
      stdout: '',
      suggestions: ['note:///one', 'note:///bytes'],
    });
    expect(await at('read', 'o', 'one')).toMatchObject({ code: 1, message: expect.stringContaining('no address') });
    const template = 'people://{team}/{person}{?size}';
    expect(await at('read', 'o', template, 'team=x')).toMatchObject({
      code: 1,
      hint: expect.stringContaining('person='),
    });
    expect(await at('read', 'o', template, 'team=x', 'persn=y')).toMatchObject({ code: 1, suggestions: ['person'] });
    expect(await at('read', 'o', 'people://{team}/{person}', 'team=x')).toMatchObject({ code: 1, stdout: '' });
    expect(await at('read', 'o', 'note:///one', 'team=x')).toMatchObject({ code: 1, stdout: '' });
    expect(await at('read', 'o', template, 'team:=1', 'person=y')).toMatchObject({ code: 1, stdout: '' });
    expect(await at('watch', 'o', 'note:///onne')).toMatchObject({
      code: 1,
      suggestions: expect.arrayContaining(['note:///one']),
    });
    for (const count of ['0', '1.5', 'two', '1e3']) expect((await at('watch', 'o', '--count', count)).code).toBe(1);
    writeFileSync(join(home, 'there'), '');
    expect((await at('read', 'o', 'note:///one', '--out', join(home, 'no', 'folder'))).code).toBe(1);
    expect(existsSync(join(home, 'no'))).toBe(false);
  });

  it('says with exit code 1 that a server has none, and with 6 that its answer is broken', async () => {
    const { run } = crosspoint();
    for (const words of [['ls'], ['templates'], ['read', 'x:/1'], ['watch']]) {
      const { code, stdout, error } = await run(['resources', ...words, ...broken('none')]);
      expect({ words, code, stdout }).toEqual({ words, code: 1, stdout: '' });
      expect(error().message).toContain('no capability "resources"');
    }
    expect((await run(['resources', 'ls', ...broken('unlisted')])).code).toBe(5);
    expect((await run(['resources', 'read', 'x:/1', ...broken('unlisted')])).json().contents[0].text).toBe('read');
    expect((await run(['tools', 'ls', ...broken('unlisted')])).code).toBe(1);
    expect((await run(['resources', 'read', 'x:/1', ...broken('results')])).code).toBe(6);
    expect((await run(['resources', 'read', 'x:/{id', ...broken('results')])).code).toBe(6);
    expect((await run(['resources', 'watch', ...broken('results')])).error()).toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('does not report changes'),
    });
  });

  it('works with the reference server', async () => {
    const { home, run } = crosspoint();
    await run(['connect', '--as', 'ev', ...EVERYTHING]);
    expect((await run(['resources', 'ls', 'ev'])).json().resources.length).toBeGreaterThan(3);
    const template = 'demo://resource/dynamic/text/{resourceId}';
    const read = await run(['resources', 'read', 'ev', template, 'resourceId=1', '--text']);
    expect(read.stdout).toContain('Resource 1');
    const watching = shown(home, ['resources', 'watch', 'ev', 'demo://resource/dynamic/text/1', '--count', '1']);
    await watching.says(/Watching/);
    await run(['tools', 'call', 'ev', 'toggle-subscriber-updates']);
    expect((await watching.ended).lines).toMatchObject([{ kind: 'resource', uri: 'demo://resource/dynamic/text/1' }]);
  });
});
