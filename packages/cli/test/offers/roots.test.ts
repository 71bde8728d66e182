import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { crosspoint, EVERYTHING, OFFERING } from '../crosspoint.ts';

describe.each(['handshake', 'per-request'] as const)('folders of a %s server', (family) => {
  it('are those of --root, and are changed while the connection is kept, without another question', async () => {
    const { home, run } = crosspoint();
    for (const name of ['one', 'two words']) mkdirSync(join(home, name));
    const [one, two] = ['one', 'two words'].map((name) => pathToFileURL(join(home, name)).href);
    const told = async (): Promise<string[]> => {
      const { json } = await run(['tools', 'call', 'o', 'folders']);
      return JSON.parse(json().content[0].text).map(({ uri }: { uri: string }) => uri);
    };
    expect((await run(['connect', '--as', 'o', '--family', family, '--root', 'one', ...OFFERING])).code).toBe(0);
    expect((await run(['roots', 'ls', 'o'])).json()).toEqual({ roots: [{ uri: one, isReadable: true }] });
    expect(await told()).toEqual([one]);
    expect((await run(['roots', 'add', 'o', 'two words'])).json()).toEqual({
      roots: [
        { uri: one, isReadable: true },
        { uri: two, isReadable: true },
      ],
      isTold: family === 'handshake',
    });
    expect(await told()).toEqual([one, two]);
    expect((await run(['roots', 'add', 'o', 'two words'])).json()).toMatchObject({ isTold: false });
    rmSync(join(home, 'one'), { recursive: true });
    expect((await run(['roots', 'ls', 'o'])).json().roots[0]).toEqual({ uri: one, isReadable: false });
    expect(await told()).toEqual([two]);
    expect((await run(['roots', 'rm', 'o', 'one', join(home, 'two words')])).json().roots).toEqual([]);
    expect(await told()).toEqual([]);
  });
});

describe('crosspoint roots', () => {
  it('refuses folders and connections that do not exist, and changes nothing', async () => {
    const { home, run } = crosspoint();
    await run(['connect', '--as', 'o', ...OFFERING]);
    writeFileSync(join(home, 'file'), '');
    for (const folder of ['missing', 'file']) {
      expect((await run(['roots', 'add', 'o', '.', folder])).error()).toMatchObject({
        exitCode: 1,
        message: expect.stringContaining(join(home, folder)),
      });
      expect((await run(['tools', 'ls', '--root', folder, ...OFFERING])).code).toBe(1);
    }
    await run(['roots', 'add', 'o', '.']);
    expect((await run(['roots', 'rm', 'o', '.', 'missing'])).error()).toMatchObject({ exitCode: 1 });
    expect((await run(['roots', 'ls', 'o'])).json().roots).toHaveLength(1);
    expect((await run(['roots', 'ls', 'oo'])).error()).toMatchObject({ exitCode: 1, suggestions: ['o'] });
  });

  it('gives a server nothing where a rule denies it, also of folders that were typed', async () => {
    const { home, run } = crosspoint();
    writeFileSync(
      join(home, 'policy.json'),
      JSON.stringify({ rules: [{ effect: 'deny', action: 'roots', reason: 'No folders.' }] }),
    );
    await run(['connect', '--as', 'o', '--root', '.', ...OFFERING]);
    expect((await run(['tools', 'call', 'o', 'folders'])).json().content[0].text).toBe('[]');
  });

  it('tells the reference server, which asks again', async () => {
    const { home, run } = crosspoint();
    await run(['connect', '--as', 'ev', ...EVERYTHING]);
    // It asks for the first time a while after it has begun.
    const logged = async (): Promise<string> => (await run(['logs', 'tail', 'ev', '--no-follow'])).stdout;
    await vi.waitFor(async () => expect(await logged()).toContain('Roots updated: 0'), { timeout: 20_000 });
    await run(['roots', 'add', 'ev', '.']);
    await vi.waitFor(async () => expect(await logged()).toContain('Roots updated: 1'), { timeout: 20_000 });
    const { stdout } = await run(['tools', 'call', 'ev', 'get-roots-list', '--text']);
    expect(stdout).toContain(pathToFileURL(home).href);
  });
});
