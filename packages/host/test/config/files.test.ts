import { mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FileFormatId } from '../../src/config/formats/format.ts';
import { fileLocations } from '../../src/config/files/locations.ts';
import { readConfiguration, type ReadConfigurationOptions } from '../../src/config/files/read-configuration.ts';
import { FORMAT_IDS } from './samples.ts';

const ALL: readonly FileFormatId[] = FORMAT_IDS;

describe('fileLocations', () => {
  const pathsOf = (...[place, formats = ALL]: [Parameters<typeof fileLocations>[0], (readonly FileFormatId[])?]) =>
    fileLocations(place, formats).map(({ file, format, scope }) => `${format} ${scope} ${file}`);

  it('knows Linux', () => {
    expect(pathsOf({ home: '/home/u', folder: '/repo', platform: 'linux', env: {} })).toEqual([
      'claude-desktop user /home/u/.config/Claude/claude_desktop_config.json',
      'claude-code managed /etc/claude-code/managed-mcp.json',
      'claude-code user /home/u/.claude.json',
      'claude-code project /repo/.mcp.json',
      'vscode user /home/u/.config/Code/User/mcp.json',
      'vscode project /repo/.vscode/mcp.json',
      'cursor user /home/u/.cursor/mcp.json',
      'cursor project /repo/.cursor/mcp.json',
      'crosspoint managed /etc/crosspoint/crosspoint.json',
      'crosspoint user /home/u/.config/crosspoint/crosspoint.json',
      'crosspoint project /repo/crosspoint.json',
    ]);
  });

  it('knows macOS', () => {
    expect(pathsOf({ home: '/Users/u', platform: 'darwin', env: { XDG_CONFIG_HOME: '/x' } })).toEqual([
      'claude-desktop user /Users/u/Library/Application Support/Claude/claude_desktop_config.json',
      'claude-code managed /Library/Application Support/ClaudeCode/managed-mcp.json',
      'claude-code user /Users/u/.claude.json',
      'vscode user /Users/u/Library/Application Support/Code/User/mcp.json',
      'cursor user /Users/u/.cursor/mcp.json',
      'crosspoint managed /Library/Application Support/crosspoint/crosspoint.json',
      'crosspoint user /Users/u/Library/Application Support/crosspoint/crosspoint.json',
    ]);
  });

  it('knows Windows', () => {
    const env = { APPDATA: 'C:\\Users\\u\\AppData\\Roaming', ProgramFiles: 'D:\\Programs' };
    expect(pathsOf({ home: 'C:\\Users\\u', folder: 'C:\\repo', platform: 'win32', env })).toEqual([
      'claude-desktop user C:\\Users\\u\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
      'claude-code managed D:\\Programs\\ClaudeCode\\managed-mcp.json',
      'claude-code user C:\\Users\\u\\.claude.json',
      'claude-code project C:\\repo\\.mcp.json',
      'vscode user C:\\Users\\u\\AppData\\Roaming\\Code\\User\\mcp.json',
      'vscode project C:\\repo\\.vscode\\mcp.json',
      'cursor user C:\\Users\\u\\.cursor\\mcp.json',
      'cursor project C:\\repo\\.cursor\\mcp.json',
      'crosspoint managed D:\\Programs\\crosspoint\\crosspoint.json',
      'crosspoint user C:\\Users\\u\\AppData\\Roaming\\crosspoint\\crosspoint.json',
      'crosspoint project C:\\repo\\crosspoint.json',
    ]);
    expect(pathsOf({ home: 'C:\\U', platform: 'win32', env: {} }, ['vscode'])).toEqual([
      'vscode user C:\\U\\AppData\\Roaming\\Code\\User\\mcp.json',
    ]);
  });

  it('follows XDG_CONFIG_HOME on Linux if it is absolute', () => {
    const place = { home: '/home/u', platform: 'linux' } as const;
    expect(pathsOf({ ...place, env: { XDG_CONFIG_HOME: '/cfg' } }, ['vscode'])[0]).toContain('/cfg/Code/User');
    expect(pathsOf({ ...place, env: { XDG_CONFIG_HOME: 'cfg' } }, ['vscode'])[0]).toContain('/home/u/.config/Code');
  });
});

/** A machine whose files are these texts; every read is noted. */
function machine(files: Readonly<Record<string, unknown>>): { options: ReadConfigurationOptions; read: string[] } {
  const read: string[] = [];
  const readFile = (path: string): Promise<string> => {
    read.push(path);
    const value = Object.hasOwn(files, path) ? files[path] : undefined;
    if (value instanceof Error) return Promise.reject(value);
    if (value === undefined) return Promise.reject(Object.assign(new Error('none'), { code: 'ENOENT' }));
    return Promise.resolve(typeof value === 'string' ? value : JSON.stringify(value));
  };
  return { options: { home: '/h', folder: '/r', platform: 'linux', env: {}, readFile }, read };
}

const named = (...names: string[]): Record<string, { command: string }> =>
  Object.fromEntries(names.map((name) => [name.split('=')[0] ?? '', { command: name.split('=')[1] ?? name }]));

async function commandsOf(files: Readonly<Record<string, unknown>>): Promise<Record<string, string>> {
  const { entries } = await readConfiguration(machine(files).options);
  return Object.fromEntries(entries.map(({ name, reach }) => [name, reach.type === 'stdio' ? reach.command : '']));
}

describe('the precedence of files', () => {
  it('of Claude Code is local, project, user', async () => {
    const files = {
      '/h/.claude.json': {
        mcpServers: named('a=user', 'b=user', 'c=user'),
        projects: { '/r': { mcpServers: named('a=local') }, '/elsewhere': { mcpServers: named('z=other') } },
      },
      '/r/.mcp.json': { mcpServers: named('a=project', 'b=project') },
    };
    expect(await commandsOf(files)).toEqual({ a: 'local', b: 'project', c: 'user' });
    const { shadowed } = await readConfiguration(machine(files).options);
    expect(shadowed.map(({ entry, by }) => [entry.name, entry.origin.scope, by?.origin.scope])).toEqual([
      ['a', 'project', 'local'],
      ['a', 'user', 'local'],
      ['b', 'user', 'project'],
    ]);
  });

  it('takes a whole entry and mixes nothing in', async () => {
    const { entries } = await readConfiguration(
      machine({
        '/h/.claude.json': { mcpServers: { a: { command: 'u', args: ['1'], env: { A: '1' } } } },
        '/r/.mcp.json': { mcpServers: { a: { command: 'p' } } },
      }).options,
    );
    expect(entries[0]?.reach).toEqual({ type: 'stdio', command: 'p' });
  });

  it('of Cursor and VS Code is the folder, then the user', async () => {
    const files = {
      '/h/.cursor/mcp.json': { mcpServers: named('a=user', 'b=user') },
      '/r/.cursor/mcp.json': { mcpServers: named('a=project') },
      '/h/.config/Code/User/mcp.json': { servers: named('c=user', 'd=user') },
      '/r/.vscode/mcp.json': { servers: named('c=project') },
    };
    expect(await commandsOf(files)).toEqual({ a: 'project', b: 'user', c: 'project', d: 'user' });
  });

  it('of Crosspoint is the user, then the folder: no repository takes a name of the user', async () => {
    const files = {
      '/h/.config/crosspoint/crosspoint.json': { crosspoint: 1, servers: named('a=user') },
      '/r/crosspoint.json': { crosspoint: 1, servers: named('a=project', 'b=project') },
    };
    expect(await commandsOf(files)).toEqual({ a: 'user', b: 'project' });
  });

  it('among programs is the user before a repository, then Crosspoint, Claude Code, VS Code, Cursor, Claude Desktop', async () => {
    const files = {
      '/r/crosspoint.json': { servers: named('a=crosspoint-project', 'e=crosspoint-project') },
      '/h/.claude.json': { mcpServers: named('b=claude-code') },
      '/h/.config/Code/User/mcp.json': { servers: named('b=vscode', 'c=vscode') },
      '/h/.cursor/mcp.json': { mcpServers: named('c=cursor', 'd=cursor') },
      '/h/.config/Claude/claude_desktop_config.json': { mcpServers: named('a=desktop', 'd=desktop') },
    };
    expect(await commandsOf(files)).toEqual({
      a: 'desktop',
      b: 'claude-code',
      c: 'vscode',
      d: 'cursor',
      e: 'crosspoint-project',
    });
    const { options } = machine(files);
    const { entries } = await readConfiguration({ ...options, formats: ['cursor', 'vscode'] });
    expect(entries.map(({ name, origin }) => `${name} ${origin.format}`)).toEqual(['c cursor', 'd cursor', 'b vscode']);
  });

  it('gives way to a managed file of Claude Code within that program', async () => {
    const files = {
      '/etc/claude-code/managed-mcp.json': { mcpServers: named('m=managed') },
      '/h/.claude.json': { mcpServers: named('a=user') },
      '/r/.mcp.json': { mcpServers: named('m=project') },
      '/h/.cursor/mcp.json': { mcpServers: named('c=cursor') },
    };
    expect(await commandsOf(files)).toEqual({ m: 'managed', c: 'cursor' });
    const { shadowed } = await readConfiguration(machine(files).options);
    expect(shadowed.map(({ entry, why }) => `${entry.name}: ${why}`)).toEqual([
      'a: A managed file of claude-code excludes it.',
      'm: A managed file of claude-code excludes it.',
    ]);
  });

  it('gives way to a managed file of Crosspoint everywhere', async () => {
    const files = {
      '/etc/crosspoint/crosspoint.json': { crosspoint: 1, servers: named('m=managed') },
      '/etc/claude-code/managed-mcp.json': { mcpServers: named('n=claude') },
      '/h/.cursor/mcp.json': { mcpServers: named('c=cursor') },
    };
    expect(await commandsOf(files)).toEqual({ m: 'managed' });
  });

  it.each([
    ['broken', '{'],
    ['unreadable', Object.assign(new Error('no'), { code: 'EACCES' })],
  ])('is not opened by a managed file that is %s', async (_kind, content) => {
    const files = {
      '/etc/crosspoint/crosspoint.json': content,
      '/h/.cursor/mcp.json': { mcpServers: named('c=cursor') },
    };
    const { entries, problems } = await readConfiguration(machine(files).options);
    expect(entries).toEqual([]);
    expect(problems).toMatchObject([{ severity: 'error', file: '/etc/crosspoint/crosspoint.json' }]);
  });
});

describe('readConfiguration', () => {
  it('reads the files of the five programs, each once, and nothing else', async () => {
    const { options, read } = machine({});
    expect(await readConfiguration(options)).toMatchObject({ entries: [], problems: [], shadowed: [], files: [] });
    expect([...read].sort()).toEqual(
      fileLocations({ home: '/h', folder: '/r', platform: 'linux', env: {} }, ALL)
        .map(({ file }) => file)
        .sort(),
    );
  });

  it('keeps a file of the user that lies in the folder', async () => {
    const { options, read } = machine({ '/h/.cursor/mcp.json': { mcpServers: named('a') } });
    const { entries } = await readConfiguration({ ...options, folder: '/h' });
    expect(entries.map(({ origin }) => origin.scope)).toEqual(['user']);
    expect(read.filter((path) => path === '/h/.cursor/mcp.json')).toHaveLength(1);
  });

  it('lets one bad file take nothing from the others', async () => {
    const { options } = machine({
      '/r/.mcp.json': '{ "mcpServers": ',
      '/r/.vscode/mcp.json': { servers: named('v') },
      '/h/.cursor/mcp.json': Object.assign(new Error('denied: secret path'), { code: 'EACCES' }),
    });
    const { entries, problems } = await readConfiguration(options);
    expect(entries.map(({ name }) => name)).toEqual(['v']);
    expect(problems.map(({ file, code, line }) => [file, code, line])).toEqual([
      ['/h/.cursor/mcp.json', 'unreadable', undefined],
      ['/r/.mcp.json', 'syntax', 1],
    ]);
  });

  it('reads files that the program names, whose servers need trust unless it says whose they are', async () => {
    const { options } = machine({
      '/x/one.json': { mcpServers: { a: { url: 'https://x.example' } } },
      '/x/two.json': { mcpServers: named('b') },
      '/x/three.json': { neither: true },
    });
    const { entries, problems, files } = await readConfiguration({
      ...options,
      formats: [],
      files: [
        { file: '/x/one.json' },
        { file: '/x/two.json', format: 'claude-desktop', scope: 'user' },
        { file: '/x/three.json' },
      ],
    });
    expect(entries.map(({ name, origin }) => [name, origin.format, origin.scope])).toEqual([
      ['b', 'claude-desktop', 'user'],
      ['a', 'cursor', 'project'],
    ]);
    expect(files).toHaveLength(2);
    expect(problems).toMatchObject([{ code: 'unknown-format', file: '/x/three.json' }]);
  });
});

describe('readConfiguration on a disk', () => {
  let home = '';
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'configuration-'));
  });
  const put = (path: string, text: string): string => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
    return join(home, path);
  };

  it('reads real files', async () => {
    put('.cursor/mcp.json', '{ "mcpServers": { "a": { "command": "x" } } } // mine');
    put('repo/.mcp.json', '{"mcpServers":{"b":{"command":"y"}}}');
    const { entries, problems, files } = await readConfiguration({ home, folder: join(home, 'repo'), env: {} });
    expect(problems).toEqual([]);
    expect(entries.map(({ name, origin }) => [name, origin.scope])).toEqual([
      ['a', 'user'],
      ['b', 'project'],
    ]);
    expect(files.every(({ digest }) => /^sha256:[0-9a-f]{64}$/.test(digest))).toBe(true);
  });

  it('refuses what is too large, and folders in the place of files', async () => {
    truncateSync(put('.claude.json', ''), 1024 * 1024);
    mkdirSync(join(home, '.cursor/mcp.json'), { recursive: true });
    const { problems } = await readConfiguration({ home, env: {}, maxFileBytes: 1000 });
    expect(problems.map(({ message }) => message)).toEqual([
      'The file cannot be read: it is larger than 1000 bytes, or grew while it was read.',
      'The file cannot be read: it is no regular file.',
    ]);
  });

  it.skipIf(process.platform === 'win32')('refuses a link to a device', async () => {
    mkdirSync(join(home, '.cursor'));
    symlinkSync('/dev/zero', join(home, '.cursor/mcp.json'));
    const { problems } = await readConfiguration({ home, env: {} });
    expect(problems).toMatchObject([{ code: 'unreadable' }]);
  });
});
