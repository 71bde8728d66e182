import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigResolveError } from '../../src/config/errors.ts';
import { parseEnvFile } from '../../src/config/interpolation/env-file.ts';
import { resolveEntry } from '../../src/config/interpolation/resolve-entry.ts';
import type { ValueSources } from '../../src/config/interpolation/sources.ts';
import type { ConfigFormat, Reach, ServerEntry } from '../../src/config/server-entry.ts';

const entryOf = (format: ConfigFormat, reach: Reach): ServerEntry => ({
  name: 'a',
  reach,
  origin: { format, scope: 'user', file: '/home/u/file.json', pointer: '/mcpServers/a' },
});

const SOURCES: ValueSources = {
  env: { HOME: '/home/u', TOKEN: 't0ken', EMPTY: '', TRICK: '${TOKEN}', SPLIT: 'a\nb' },
  folders: {
    userHome: '/home/u',
    workspaceFolder: '/projects/app',
    bundle: '/bundles/x',
    documents: '/home/u/Documents',
    desktop: '/home/u/Desktop',
    downloads: '/home/u/Downloads',
  },
  platform: 'linux',
  input: (id) => Promise.resolve({ key: 's3cret', count: 3, dirs: ['/a', '/b c'], on: true }[id]),
  secret: (name) => Promise.resolve(name === 'acme' ? 'from-the-store' : undefined),
};

/** The first argument of a server after its references were expanded. */
async function expanded(format: ConfigFormat, text: string, sources: ValueSources = SOURCES): Promise<string> {
  const { reach } = await resolveEntry(entryOf(format, { type: 'stdio', command: 'x', args: [text] }), sources);
  return reach.type === 'stdio' ? (reach.args ?? []).join('|') : '';
}

async function refusalOf(format: ConfigFormat, reach: Reach, sources: ValueSources = SOURCES): Promise<string[]> {
  const error = await resolveEntry(entryOf(format, reach), sources).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConfigResolveError);
  return (error as ConfigResolveError).problems.map(({ pointer, message }) => `${pointer} ${message}`);
}

describe('references of each dialect', () => {
  it.each([
    ['claude-code', 'x-${TOKEN}-${MISSING:-d:e}', 'x-t0ken-d:e'],
    ['claude-code', '${EMPTY:-default}', ''],
    ['claude-code', '$TOKEN ${HOME}', '$TOKEN /home/u'],
    ['vscode', '${env:TOKEN}${/}${pathSeparator}${userHome}', 't0ken///home/u'],
    ['vscode', '${workspaceFolder} ${workspaceFolderBasename} ${input:key}', '/projects/app app s3cret'],
    ['cursor', '${env:HOME}${/}${workspaceFolderBasename}', '/home/u/app'],
    ['mcpb', '${__dirname}/${user_config.key} ${HOME} ${DOCUMENTS}', '/bundles/x/s3cret /home/u /home/u/Documents'],
    ['mcpb', '${DESKTOP}${/}${DOWNLOADS}', '/home/u/Desktop//home/u/Downloads'],
    ['crosspoint', '${env:TOKEN} ${env:MISSING:-none} ${input:count} ${secret:acme}', 't0ken none 3 from-the-store'],
    ['crosspoint', '$${env:TOKEN} $5 ${input:on}', '${env:TOKEN} $5 true'],
    ['program', '${env:TOKEN}', 't0ken'],
  ] as const)('of %s: %s', async (format, text, value) => {
    expect(await expanded(format, text)).toBe(value);
  });

  it('are expanded once: what a value brings in stays as it is', async () => {
    expect(await expanded('claude-code', '${TRICK}')).toBe('${TOKEN}');
    expect(await expanded('crosspoint', '${env:TRICK} ${env:NO:-$}{env:TOKEN}')).toBe('${TOKEN} ${env:TOKEN}');
  });

  it('use the separator of Windows there', async () => {
    const sources = { ...SOURCES, platform: 'win32', folders: { workspaceFolder: 'C:\\work\\app' } } as const;
    expect(await expanded('vscode', '${/}${workspaceFolderBasename}', sources)).toBe('\\app');
  });

  it('become several arguments where an input has several values', async () => {
    expect(await expanded('mcpb', '${user_config.dirs}')).toBe('/a|/b c');
    expect(await refusalOf('mcpb', { type: 'stdio', command: 'x', args: ['--d=${user_config.dirs}'] })).toEqual([
      '/mcpServers/a/args/0 gets several values, and there is place for one.',
    ]);
  });

  it('do not reach the prototype of the environment', async () => {
    expect(await refusalOf('claude-code', { type: 'stdio', command: '${constructor}' })).toEqual([
      '/mcpServers/a/command ${constructor} is not set: set the environment variable constructor.',
    ]);
  });
});

describe('a reference without a value', () => {
  const cases: readonly (readonly [ConfigFormat, string, string])[] = [
    ['claude-code', '${NOPE}', '${NOPE} is not set: set the environment variable NOPE.'],
    [
      'claude-code',
      '${env:TOKEN}',
      '${env:TOKEN} is a reference of VS Code, Cursor, Crosspoint, not of Claude Code: there it is written ${TOKEN}.',
    ],
    [
      'claude-code',
      '${input:key}',
      '${input:key} is a reference of VS Code, Crosspoint, not of Claude Code: it has no word for it.',
    ],
    ['vscode', '${TOKEN}', '${TOKEN} is a reference of Claude Code, not of VS Code: there it is written ${env:TOKEN}.'],
    [
      'cursor',
      '${input:key}',
      '${input:key} is a reference of VS Code, Crosspoint, not of Cursor: it has no word for it.',
    ],
    [
      'cursor',
      '${user_config.key}',
      '${user_config.key} is a reference of bundles, not of Cursor: it has no word for it.',
    ],
    [
      'claude-desktop',
      '${HOME}',
      '${HOME} is a reference of Claude Code, bundles, not of Claude Desktop: it has no word for it.',
    ],
    [
      'crosspoint',
      '${TOKEN:-hunter2}',
      '${TOKEN:-…} is a reference of Claude Code, not of Crosspoint: there it is written ${env:TOKEN}.',
    ],
    [
      'vscode',
      '${cmd:cat /etc/passwd}',
      '${cmd:cat /etc/passwd} would run a command, which a configuration never does here.',
    ],
    ['vscode', '${command:ext.get}', '${command:ext.get} would run a command, which a configuration never does here.'],
    ['vscode', '${config:editor.fontSize}', '${config:editor.fontSize} has a value in an editor alone.'],
    ['claude-code', '${A:-${TOKEN}}', '${A:-…} holds another reference, which is not expanded.'],
    ['claude-code', 'x${TOKEN', '${… is not closed by a brace.'],
    ['claude-code', '${a b}', '${a b} is a reference of no format that is known here.'],
    ['cursor', '{env:TOKEN}', '{env:TOKEN} is a reference of another program, which no format here has.'],
    ['cursor', 'Bearer $env:TOKEN', 'Bearer $env:TOKEN is a reference of another program, which no format here has.'],
    ['vscode', '${input:unanswered}', '${input:unanswered} has no value: the question was not answered.'],
    ['crosspoint', '${secret:none}', '${secret:none} is not among the kept secrets: store it first.'],
    ['mcpb', '${user_config.none}', '${user_config.none} has no value: the question was not answered.'],
  ];

  it.each(cases)('stops a server of %s with %s', async (format, text, message) => {
    const reach: Reach = { type: 'http', url: 'https://x.example', headers: { Authorization: text } };
    expect(await refusalOf(format, reach)).toEqual([`/mcpServers/a/headers/Authorization ${message}`]);
  });

  it('is told together with all others', async () => {
    const reach: Reach = { type: 'stdio', command: '${A}', args: ['${B}'], env: { X: '${C}' } };
    expect(await refusalOf('claude-code', reach)).toHaveLength(3);
  });

  it('stays as Claude Code leaves it, if the host wants that, and is told', async () => {
    const entry = entryOf('claude-code', { type: 'stdio', command: 'x', args: ['${NOPE}', '${env:TOKEN}'] });
    const { reach, problems } = await resolveEntry(entry, SOURCES, { unresolved: 'keep' });
    expect(reach).toMatchObject({ args: ['${NOPE}', '${env:TOKEN}'] });
    expect(problems).toMatchObject([{ severity: 'warning' }, { severity: 'warning' }]);
    const secret = entryOf('crosspoint', { type: 'stdio', command: '${secret:none}' });
    await expect(resolveEntry(secret, SOURCES, { unresolved: 'keep' })).rejects.toBeInstanceOf(ConfigResolveError);
    const command = entryOf('vscode', { type: 'stdio', command: '${cmd:id}' });
    await expect(resolveEntry(command, SOURCES, { unresolved: 'keep' })).rejects.toBeInstanceOf(ConfigResolveError);
  });

  it('is also one beyond the number that a text may have', async () => {
    const reach: Reach = { type: 'stdio', command: 'x', args: ['${HOME} '.repeat(100_000)] };
    expect(await refusalOf('claude-code', reach)).toEqual([
      '/mcpServers/a/args/0 ${… and more follow: a text has at most 200 references.',
    ]);
  });

  it('never runs the command of an input', async () => {
    const asked: string[] = [];
    const origin = { format: 'vscode', scope: 'user', file: '/home/u/file.json' } as const;
    const sources: ValueSources = {
      inputs: [{ id: 'tok', type: 'command', origin }],
      input: (id) => Promise.resolve(void asked.push(id)),
    };
    const refusals = await refusalOf('vscode', { type: 'stdio', command: 'x', env: { T: '${input:tok}' } }, sources);
    expect(refusals[0]).toBe('/mcpServers/a/env/T The input "tok" would run a command of an editor: it is never run.');
    expect(asked).toEqual([]);
  });
});

describe('a resolved entry', () => {
  const entry: ServerEntry = {
    ...entryOf('crosspoint', {
      type: 'http',
      url: 'https://${env:HOST:-x.example}/mcp?api_key=${input:key}',
      headers: { Authorization: 'Bearer ${secret:acme}', Accept: 'text/plain' },
      oauth: { clientId: '${env:HOME}', clientSecret: '${env:TOKEN}', scopes: ['${env:HOME}'] },
    }),
    roots: ['${workspaceFolder}/docs'],
  };

  it('says where each value came from, and shows secrets as their references', async () => {
    const { used, shown, secrets, reach, roots } = await resolveEntry(entry, SOURCES);
    expect(used.map(({ pointer, kind, name, from, isSecret }) => [pointer, kind, name, from, isSecret])).toEqual([
      ['/mcpServers/a/url', 'env', 'HOST', 'default in the file', false],
      ['/mcpServers/a/url', 'input', 'key', 'input key', true],
      ['/mcpServers/a/headers/Authorization', 'secret', 'acme', 'store of secrets', true],
      ['/mcpServers/a/oauth/clientId', 'env', 'HOME', 'environment variable HOME', false],
      ['/mcpServers/a/oauth/clientSecret', 'env', 'TOKEN', 'environment variable TOKEN', true],
      ['/mcpServers/a/oauth/scopes/0', 'env', 'HOME', 'environment variable HOME', false],
      ['/mcpServers/a/roots/0', 'folder', 'workspaceFolder', 'folders of the host', false],
    ]);
    expect(reach).toMatchObject({ url: 'https://x.example/mcp?api_key=s3cret', oauth: { clientSecret: 't0ken' } });
    expect(shown).toMatchObject({
      url: 'https://x.example/mcp?api_key=${input:key}',
      headers: { Authorization: 'Bearer ${secret:acme}', Accept: 'text/plain' },
      oauth: { clientId: '/home/u', clientSecret: '${env:TOKEN}' },
    });
    expect([...secrets].sort()).toEqual(['from-the-store', 's3cret', 't0ken']);
    expect(roots).toEqual(['/projects/app/docs']);
  });

  it('asks for inputs of its own file alone', async () => {
    const asked: string[] = [];
    const elsewhere = { format: 'vscode', scope: 'user', file: '/other.json' } as const;
    const reach: Reach = { type: 'stdio', command: 'x', env: { A: '${input:key}' } };
    const { used } = await resolveEntry(entryOf('vscode', reach), {
      inputs: [{ id: 'key', type: 'text', isSecret: false, origin: elsewhere }],
      input: (id, origin) => {
        asked.push(`${origin.file}#${id}`);
        return Promise.resolve('v');
      },
    });
    expect(asked).toEqual(['/home/u/file.json#key']);
    expect(used[0]?.isSecret).toBe(true);
  });

  it('takes a value for a secret by the place that it goes to', async () => {
    const sources = { ...SOURCES, env: { A: 'a-1', B: 'b-2', C: 'c-3', D: 'd-4', E: 'e-5' } };
    const reach: Reach = {
      type: 'stdio',
      command: '${A}',
      args: ['--token', '${B}', '--api-key=${C}', '${D}'],
      env: { PASSWORD: '${E}' },
    };
    const stdio = await resolveEntry(entryOf('claude-code', reach), sources);
    expect(stdio.shown).toEqual({
      type: 'stdio',
      command: 'a-1',
      args: ['--token', '${B}', '--api-key=${C}', 'd-4'],
      env: { PASSWORD: '${E}' },
    });
    expect(stdio.secrets).toEqual(['b-2', 'c-3', 'e-5']);
    const url = 'https://user:${A}@x.example/${B}?page=${C}&token=${D}';
    const http = await resolveEntry(entryOf('claude-code', { type: 'http', url }), sources);
    expect(http.shown).toMatchObject({ url: 'https://user:${A}@x.example/b-2?page=c-3&token=${D}' });
    expect(http.secrets).toEqual(['a-1', 'd-4']);
  });

  it('hides literal secrets and hands them to those who redact', async () => {
    const reach: Reach = {
      type: 'stdio',
      command: 'x',
      args: ['--api-key', 'abcdefgh12', '--token=abcdefgh34', 'ghp_abcdefghijkl', '--secret', 'rm -rf / now'],
      env: { DB_PASSWORD: 'pw-literal', LEVEL: 'debug' },
    };
    const { shown, secrets } = await resolveEntry(entryOf('cursor', reach), SOURCES);
    expect(shown).toMatchObject({
      args: ['--api-key', '‹hidden›', '--token=‹hidden›', '‹hidden›', '--secret', 'rm -rf / now'],
      env: { DB_PASSWORD: '‹hidden›', LEVEL: 'debug' },
    });
    expect([...secrets].sort()).toEqual(['abcdefgh12', 'abcdefgh34', 'ghp_abcdefghijkl', 'pw-literal']);
  });

  it.each([
    [
      { type: 'http', url: 'https://x.example', headers: { A: '${SPLIT}' } },
      '/headers/A holds a line end or a null character.',
    ],
    [{ type: 'http', url: 'ftp://x.example' }, '/url is no address that begins with http:// or https://.'],
    [{ type: 'http', url: '${EMPTY}' }, '/url is no address that begins with http:// or https://.'],
    [{ type: 'stdio', command: '${EMPTY}' }, '/command is empty.'],
    [{ type: 'stdio', command: 'x', args: ['a\0b'] }, '/args/0 holds a line end or a null character.'],
    [{ type: 'stdio', command: 'x', env: { 'A=B': 'c' } }, '/env/A=B has a name that no variable can have.'],
  ] as const)('refuses what no process or request can take: %j', async (reach, message) => {
    expect(await refusalOf('claude-code', reach)).toEqual([`/mcpServers/a${message}`]);
  });

  it('leaves the transport of a program alone', async () => {
    const reach: Reach = { type: 'transport', open: () => Promise.reject(new Error('unused')) };
    expect((await resolveEntry(entryOf('program', reach), {})).reach).toBe(reach);
  });
});

describe('a file of variables', () => {
  it('has names, quotes, escapes and comments, and expands nothing', () => {
    const text = [
      '\uFEFF# comment',
      'A=1',
      'export B = two words # comment',
      'C="a\\nb \\"q\\" #not"',
      "D='$A \\n'",
      'E=',
      'A=${B}#x',
      '',
      'bad line',
      'F="open',
      '1X=2',
    ].join('\r\n');
    const { variables, badLines } = parseEnvFile(text);
    expect([...variables]).toEqual([
      ['A', '${B}#x'],
      ['B', 'two words'],
      ['C', 'a\nb "q" #not'],
      ['D', '$A \\n'],
      ['E', ''],
    ]);
    expect(badLines).toEqual([9, 10, 11]);
  });

  const folder = mkdtempSync(join(tmpdir(), 'env-file-'));
  writeFileSync(join(folder, '.env'), 'KEY=from-file\nSHARED=file\n');
  const reach: Reach = { type: 'stdio', command: 'x', env: { SHARED: 'entry' }, envFile: '${workspaceFolder}/.env' };
  const sources: ValueSources = { folders: { workspaceFolder: folder } };

  it('is read from the disk, below the variables of the entry, and its values are secrets', async () => {
    const result = await resolveEntry(entryOf('vscode', reach), sources);
    expect(result.reach).toEqual({ type: 'stdio', command: 'x', env: { KEY: 'from-file', SHARED: 'entry' } });
    expect(result.shown).toMatchObject({ env: { KEY: '${envFile}', SHARED: 'entry' } });
    expect(result.secrets).toEqual(['from-file']);
    expect(result.used.at(-1)).toMatchObject({ kind: 'env-file', name: 'KEY', from: expect.stringMatching(/\.env$/) });
  });

  it('is found beside the folder when its path is relative', async () => {
    const { reach: final } = await resolveEntry(
      entryOf('cursor', { type: 'stdio', command: 'x', envFile: '.env' }),
      sources,
    );
    expect(final).toMatchObject({ env: { KEY: 'from-file' } });
  });

  it('that is missing, wrong or no file stops the server without its content', async () => {
    writeFileSync(join(folder, 'bad.env'), 'oops hunter2\n');
    const missing = await refusalOf('vscode', { ...reach, envFile: join(folder, 'none') }, sources);
    expect(missing[0]).toContain('cannot be read');
    const bad = await refusalOf('vscode', { ...reach, envFile: join(folder, 'bad.env') }, sources);
    expect(bad[0]).toContain('has lines that are no NAME=value: 1.');
    expect(bad.join()).not.toContain('hunter2');
    const device = await refusalOf('vscode', { ...reach, envFile: folder }, sources);
    expect(device[0]).toContain('it is no regular file');
  });
});
