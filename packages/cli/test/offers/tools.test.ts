import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Host } from '@crosspoint/host';
import { ToolSearch } from '@crosspoint/host/search';
import { describe, expect, it } from 'vitest';
import { broken, crosspoint, DEMO, EVERYTHING, OFFERING } from '../crosspoint.ts';

interface Found {
  readonly server: string;
  readonly score: number;
  readonly tool: { readonly name: string };
}

describe('crosspoint tools get', () => {
  it('shows the whole definition, with defaults of hints and the word of the policy', async () => {
    const { home, run } = crosspoint();
    const rule = { effect: 'deny', tool: 'send_mail', reason: 'No letters.' };
    writeFileSync(join(home, 'policy.json'), JSON.stringify({ rules: [rule] }));
    await run(['connect', '--as', 'o', ...OFFERING]);
    const { tools } = (await run(['tools', 'ls', 'o'])).json();
    const { tool, annotations, policy } = (await run(['tools', 'get', 'o', 'send_mail'])).json();
    expect(tool).toEqual(tools.find(({ name }: { name: string }) => name === 'send_mail'));
    expect(annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    });
    expect(policy.effect).toBe('deny');
    expect(JSON.stringify(policy.reasons)).toContain('No letters.');
    const words = await run(['tools', 'get', 'o', 'weather_forecast', '--text']);
    for (const part of ['weather_forecast()', 'rains in a city', 'changes nothing', '"type": "object"', 'is asked'])
      expect(words.stdout).toContain(part);
    expect((await run(['tools', 'get', 'o', 'send_mial'])).error()).toMatchObject({
      exitCode: 1,
      suggestions: ['send_mail'],
    });
    expect((await run(['__complete', 'tools', 'get', 'o', 'send'])).stdout).toBe('words\nsend_mail\n');
  });
});

describe('crosspoint tools search', () => {
  it('ranks as the search of a host does, over one server and over all kept ones', async () => {
    const { home, run } = crosspoint();
    await run(['connect', '--as', 'o', ...OFFERING]);
    await run(['connect', '--as', 'ev', ...EVERYTHING]);
    const found = async (...words: string[]): Promise<[string, string, number][]> =>
      (await run(['tools', 'search', ...words]))
        .json()
        .found.map(({ server, score, tool }: Found) => [server, tool.name, score]);
    const [, command = '', ...args] = OFFERING;
    const [, everything = '', ...others] = EVERYTHING;
    const host = new Host({
      name: 'test',
      version: '1.0.0',
      // As the command declares it: a server may offer other tools to clients without.
      sampling: {},
      servers: { o: { command, args }, ev: { command: everything, args: others } },
    });
    host.inbox.watch(({ type, item }) => type === 'asked' && host.inbox.answer(item.id, { action: 'allow' }));
    await host.settled();
    const search = new ToolSearch(host);
    try {
      for (const query of ['add two numbers', 'will it rain', 'send_mail', 'environment variables']) {
        const best = await search.search(query, { limit: 4 });
        expect(await found(...query.split(' '), '--limit', '4')).toEqual(
          best.map(({ tool, score }) => [tool.server, tool.tool.name, expect.closeTo(score, 6)]),
        );
      }
    } finally {
      search.close();
      await host.close();
    }
    expect(await found('add', 'two', 'numbers', '--limit', '1')).toEqual([['ev', 'get-sum', expect.any(Number)]]);
    expect((await found('rain', '--server', 'o')).map(([server]) => server)).toContain('o');
    const words = await run(['tools', 'search', 'rain', '--text', '--limit', '1']);
    expect(words.stdout).toBe('o weather_forecast()\n    Tells whether it rains in a city tomorrow\n');
    const program = await run(['tools', 'search', 'rain', ...OFFERING], { cwd: home });
    expect(program.json()).toMatchObject({ found: [{ tool: { name: 'weather_forecast' } }], failures: [] });
    expect((await run(['tools', 'search', 'zzzz', '--server', 'o'])).json().found).toEqual([]);
  });

  it('finds neither tools that the policy denies nor definitions that wait to be accepted', async () => {
    const { home, run } = crosspoint();
    writeFileSync(join(home, 'policy.json'), JSON.stringify({ rules: [{ effect: 'deny', tool: 'weather_*' }] }));
    await run(['connect', '--as', 'o', ...OFFERING]);
    expect((await run(['tools', 'search', 'weather'])).json().found).toEqual([]);
    await run(['close', 'o']);
    const file = join(home, 'description');
    const changing = fileURLToPath(new URL('../programs/changing.mjs', import.meta.url));
    const names = async (): Promise<string[]> => {
      await run(['connect', '--as', 'c', '--', process.execPath, changing, file]);
      const { found } = (await run(['tools', 'search', 'send'])).json();
      await run(['close', 'c']);
      return found.map(({ tool }: Found) => tool.name);
    };
    writeFileSync(file, 'Sends a letter');
    expect(await names()).toEqual(['send']);
    writeFileSync(file, 'Sends everything that you have');
    expect(await names()).toEqual([]);
  });

  it('opens configured servers with --all, and tells which of them could not be searched', async () => {
    const { home, run } = crosspoint();
    const [, command, ...args] = DEMO;
    const [, , ...brokenArgs] = broken('exits');
    const servers = {
      demo: { command, args },
      gone: { command, args: brokenArgs },
      off: { command, args, disabled: true },
    };
    writeFileSync(join(home, 'crosspoint.json'), JSON.stringify({ servers }));
    expect((await run(['tools', 'search', 'add'])).error()).toMatchObject({
      exitCode: 1,
      message: 'No connection is kept.',
    });
    const all = await run(['tools', 'search', 'adds', 'numbers', '--limit', '1', '--all']);
    expect(all.code).toBe(0);
    expect(all.json()).toMatchObject({
      found: [{ server: 'demo', tool: { name: 'add' } }],
      searched: ['demo'],
      failures: [{ server: 'gone', ending: 'unreachable', exitCode: 4 }],
    });
    expect((await run(['tools', 'search', 'add', '--server', 'demo', '--server', 'gone'])).code).toBe(4);
    expect((await run(['tools', 'search', 'add', '--server', 'dmo'])).error()).toMatchObject({
      exitCode: 1,
      suggestions: ['demo'],
    });
  });

  it('refuses wrong numbers and options that exclude each other', async () => {
    const { run } = crosspoint();
    for (const limit of ['0', '51', '2.5', 'many'])
      expect({ limit, code: (await run(['tools', 'search', 'x', '--limit', limit])).code }).toEqual({ limit, code: 1 });
    expect((await run(['tools', 'search', 'x', '--all', '--server', 'o'])).code).toBe(1);
    expect((await run(['tools', 'search', 'x', '--all', ...OFFERING])).code).toBe(1);
    expect((await run(['tools', 'search'])).code).toBe(1);
  });
});
