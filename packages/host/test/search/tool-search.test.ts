import { McpServer, text } from 'crosspoint/server';
import { afterEach, describe, expect, it } from 'vitest';
import { createDemoServer } from '../../../../examples/demo-server/demo-server.ts';
import { createEchoServer } from '../../../../examples/echo/echo-server.ts';
import { createWeatherServer } from '../../../../examples/weather/weather-server.ts';
import { until } from '../../../crosspoint/test/until.ts';
import type { Policy } from '../../src/consent/policy.ts';
import type { Host } from '../../src/host.ts';
import { ToolSearch } from '../../src/search/index.ts';
import { closeHosts, inProcess, openHost } from '../host/opened.ts';

const searches: ToolSearch[] = [];
afterEach(async () => {
  searches.splice(0).forEach((search) => search.close());
  await closeHosts();
});

function searchOf(host: Host): ToolSearch {
  const search = new ToolSearch(host);
  searches.push(search);
  return search;
}

function serverOf(tools: Readonly<Record<string, string>>): McpServer {
  const server = new McpServer({ name: 'made', version: '1.0.0' });
  for (const [name, description] of Object.entries(tools))
    server.registerTool(name, { description }, () => text('done'));
  return server;
}

const FILES = { read_file: 'Read a file.', delete_file: 'Delete a file.', write_file: 'Write a file.' };

async function hostOf(servers: Readonly<Record<string, McpServer>>, policy: Policy = {}): Promise<Host> {
  const reaches = Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, inProcess(server)]));
  const host = openHost({ servers: reaches, policy });
  await host.settled();
  return host;
}

const found = async (search: ToolSearch, query: string, options = {}): Promise<string[]> =>
  (await search.search(query, options)).map(({ tool }) => tool.name);

describe('searching a host', () => {
  it('finds tools of running servers', async () => {
    const search = searchOf(
      await hostOf({
        demo: createDemoServer(),
        echo: createEchoServer(),
        weather: createWeatherServer('http://127.0.0.1:9/'),
      }),
    );
    expect((await found(search, 'what is the weather tomorrow in Turin'))[0]).toBe('weather__forecast');
    expect((await found(search, 'sum of numbers: add'))[0]).toBe('demo__add');
    expect((await found(search, 'say it again'))[0]).toBe('echo__echo');
    expect((await found(search, 'count to ten with progress'))[0]).toBe('demo__count');
  });

  it('finds a tool by its name in the catalogue, before everything else', async () => {
    const search = searchOf(await hostOf({ a: serverOf({ get: 'x' }), b: serverOf({ get: 'a get a__get get' }) }));
    expect((await found(search, ' a__get '))[0]).toBe('a__get');
    expect((await found(search, 'b__get'))[0]).toBe('b__get');
  });

  it('keeps to the limit and to the servers that are asked for', async () => {
    const search = searchOf(await hostOf({ a: serverOf(FILES), b: serverOf(FILES) }));
    expect(await found(search, 'file', { limit: 2 })).toHaveLength(2);
    expect(await found(search, 'file', { limit: 10_000 })).toHaveLength(6);
    expect(await found(search, 'file', { servers: ['b'] })).toEqual([
      'b__delete_file',
      'b__read_file',
      'b__write_file',
    ]);
    expect(await found(search, 'file', { servers: ['c'] })).toEqual([]);
    expect(await found(search, 'a__read_file', { servers: ['b'] })).not.toContain('a__read_file');
    for (const limit of [0, -1, 1.5, NaN, Infinity, '3'])
      await expect(search.search('file', { limit: limit as number })).rejects.toThrow(/whole number from 1 to 50/);
    await expect(search.search(7 as never)).rejects.toThrow(/needs words/);
  });

  it('lets no server fill the list where others have tools that fit', async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`file_${at}`, 'File file file.']));
    const search = searchOf(await hostOf({ many: serverOf(many), other: serverOf({ open_my_own_file: 'Opens it.' }) }));
    const names = await found(search, 'file');
    expect(names).toHaveLength(5);
    expect(names).toContain('other__open_my_own_file');
    expect(await found(search, 'file', { servers: ['many'] })).toHaveLength(5);
  });

  it('looks at the approvals of the tools that it finds, and of no other, however many fit', async () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`file_${at}`, 'Read a file.']));
    const host = await hostOf({ many: serverOf(many), other: serverOf(FILES) });
    const looks: string[] = [];
    const look = host.approvals.look.bind(host.approvals);
    host.approvals.look = (subject) => {
      looks.push(subject.tool.name);
      return look(subject);
    };
    const names = await found(searchOf(host), 'read a file');
    expect(names).toHaveLength(5);
    expect(looks.length).toBeLessThanOrEqual(10);
  });

  it('ends with what the store says where it fails, and finds again when it works', async () => {
    const host = await hostOf({ other: serverOf(FILES) });
    const look = host.approvals.look.bind(host.approvals);
    host.approvals.look = () => Promise.reject(new Error('The disk is full.'));
    const search = searchOf(host);
    await expect(search.search('read a file')).rejects.toThrow('The disk is full.');
    host.approvals.look = look;
    expect(await found(search, 'read a file')).toContain('other__read_file');
  });

  it('keeps a much better tool of the same server before one that hardly fits', async () => {
    const tools = Object.fromEntries(
      ['one', 'two', 'three', 'four', 'five'].map((at) => [`rename_branch_${at}`, 'Rename a branch.']),
    );
    const search = searchOf(
      await hostOf({
        git: serverOf(tools),
        x: serverOf({ y: `${'Something else about all kinds of work. '.repeat(9)} Branches.` }),
      }),
    );
    const all = await search.search('rename the branch');
    expect(all.map(({ tool }) => tool.server)).toEqual(['git', 'git', 'git', 'git', 'git']);
  });
});

describe('tools that are not found', () => {
  it('are those that the policy denies, from the moment it does', async () => {
    const host = await hostOf({ a: serverOf(FILES) });
    const search = searchOf(host);
    expect(await found(search, 'delete a file')).toContain('a__delete_file');
    host.policy = { rules: [{ effect: 'deny', tool: 'delete_*' }] };
    expect(await found(search, 'delete a file')).not.toContain('a__delete_file');
    expect(await found(search, 'a__delete_file')).not.toContain('a__delete_file');
    host.policy = { default: 'deny' };
    expect(await found(search, 'file')).toEqual([]);
    host.policy = {
      default: 'deny',
      rules: [{ effect: 'allow', tool: 'read_*', arguments: { '/path': { within: '/home' } } }],
    };
    expect(await found(search, 'file')).toEqual(['a__read_file']);
    host.policy = {
      rules: [
        { effect: 'deny', arguments: { '/path': { within: '/etc' } } },
        { effect: 'deny', influencedBy: '*' },
      ],
    };
    expect(await found(search, 'file')).toHaveLength(3);
  });

  it('do not hide the others, however many they are', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`delete_file_${at}`, 'Delete a file.']));
    const host = await hostOf(
      { a: serverOf({ ...many, shred: 'Delete a file for good, without a way back.' }) },
      {
        rules: [{ effect: 'deny', tool: 'delete_*' }],
      },
    );
    expect(await found(searchOf(host), 'delete a file')).toEqual(['a__shred']);
  });

  it('are those whose definition changed or joined, until the user accepts them', async () => {
    const server = serverOf(FILES);
    const host = await hostOf({ a: server });
    const search = searchOf(host);
    expect(await found(search, 'file')).toHaveLength(3);
    server.registerTool('copy_file', { description: 'Copy a file, and tell nobody.' }, () => text('done'));
    await until(() => host.catalogue.tool('a__copy_file') !== undefined);
    expect(await found(search, 'copy a file')).not.toContain('a__copy_file');
    host.policy = { pin: 'off' };
    expect(await found(search, 'copy a file')).toContain('a__copy_file');
    host.policy = {};
    const listing = host.catalogue.listingOf('a');
    if (listing !== undefined) await host.approvals.accept('a', listing);
    expect(await found(search, 'copy a file')).toContain('a__copy_file');
  });

  it('are those of a server that is removed', async () => {
    const host = await hostOf({ a: serverOf(FILES), b: serverOf({ open: 'Open a file.' }) });
    const search = searchOf(host);
    expect(await found(search, 'file')).toHaveLength(4);
    await host.servers.remove('a');
    expect(await found(search, 'file')).toEqual(['b__open']);
  });
});
