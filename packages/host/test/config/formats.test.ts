import { describe, expect, it } from 'vitest';
import { detectFormat } from '../../src/config/formats/detect-format.ts';
import { FILE_FORMATS } from '../../src/config/formats/formats.ts';
import { problemLine } from '../../src/config/problem.ts';
import type { FileFormatId, Reading } from '../../src/config/formats/format.ts';
import type { Json } from '../../src/values/json.ts';
import { FORMAT_IDS, SAMPLES, textOf } from './samples.ts';

const read = (format: FileFormatId, value: Json, scope: 'user' | 'project' = 'user'): Reading =>
  FILE_FORMATS[format].read(JSON.stringify(value), { file: '/f.json', scope });

const linesOf = ({ problems }: Reading): string[] => problems.map(({ message, pointer }) => `${pointer} ${message}`);

function reachOf(format: FileFormatId, name: string): unknown {
  return read(format, SAMPLES[format]).entries.find((entry) => entry.name === name);
}

describe('every format', () => {
  it.each(FORMAT_IDS)('%s is written as it was read', (format) => {
    const document = FILE_FORMATS[format].read(textOf(format), { scope: 'user' });
    const { text, lost } = FILE_FORMATS[format].write(document);
    expect(JSON.parse(text)).toEqual(SAMPLES[format]);
    expect(lost).toEqual([]);
  });

  it.each(FORMAT_IDS)('%s says where the text is no JSON', (format) => {
    const { entries, problems } = FILE_FORMATS[format].read('{\n  "x": oops\n}', { file: '/a/b.json', scope: 'user' });
    expect(entries).toEqual([]);
    expect(problems.map(problemLine)).toEqual(['/a/b.json:2:8: A JSON value is missing here.']);
  });

  it.each(FORMAT_IDS)('%s takes comments only if its program does', (format) => {
    const isLoose = ['vscode', 'cursor', 'crosspoint'].includes(format);
    const { entries, problems } = FILE_FORMATS[format].read(`// servers\n${textOf(format)}`, { scope: 'user' });
    expect(entries.length > 0).toBe(isLoose);
    expect(problems.some(({ code }) => code === 'syntax')).toBe(!isLoose);
  });

  it.each(FORMAT_IDS)('%s keeps one bad server from the others, and loses nothing of it', (format) => {
    const key = format === 'vscode' || format === 'crosspoint' ? 'servers' : 'mcpServers';
    const value = {
      [key]: {
        good: { command: 'node' },
        args: { command: 'node', args: ['a', 1] },
        env: { command: 'node', env: { A: 1 } },
        both: { command: 'node', url: 'https://x.example' },
        none: {},
        text: 'node',
        empty: { command: ' ' },
        future: { type: 'quic', command: 'x' },
        '\u0007': { command: 'x' },
      },
    };
    const document = read(format, value);
    expect(document.entries.map(({ name }) => name)).toEqual(['good']);
    const nullable = ['vscode', 'crosspoint'].includes(format) ? ' or null' : '';
    expect(linesOf(document).slice(0, 7)).toEqual([
      `/${key}/args/args must be a list of texts.`,
      `/${key}/env/env must be an object whose values are texts${nullable}.`,
      `/${key}/both has both "command" and "url": remove one of them.`,
      `/${key}/none has neither "command" nor "url".`,
      `/${key}/text must be an object.`,
      `/${key}/empty/command must not be empty.`,
      expect.stringMatching(`^/${key}/future/type is "quic"; servers of .* have "stdio"`),
    ]);
    expect(
      document.problems.every(({ line, column, file }) => line === 1 && (column ?? 0) > 1 && file === '/f.json'),
    ).toBe(true);
    const { text, lost } = FILE_FORMATS[format].write(document);
    expect((JSON.parse(text) as Record<string, Record<string, unknown>>)[key]).toMatchObject(value[key] ?? {});
    expect(lost).toEqual([]);
  });

  it.each(FORMAT_IDS)('%s is not confused by names of Object.prototype', (format) => {
    const key = format === 'vscode' || format === 'crosspoint' ? 'servers' : 'mcpServers';
    const value = { [key]: { constructor: { command: 'a' }, toString: { command: 'b', type: 'constructor' } } };
    const document = read(format, value);
    expect(document.entries.map(({ name }) => name)).toEqual(['constructor']);
    expect(JSON.parse(FILE_FORMATS[format].write(document).text)).toMatchObject({
      [key]: { constructor: { command: 'a' }, toString: { command: 'b' } },
    });
  });

  it('warns of spaces at the ends of values without showing them', () => {
    const { problems } = read('claude-code', {
      mcpServers: {
        a: { type: 'http', url: 'https://x.example', headers: { A: 'hunter2 ' } },
        b: { command: ' node' },
      },
    });
    expect(problems.map(({ pointer, code, severity }) => `${severity} ${code} ${pointer}`)).toEqual([
      'warning whitespace /mcpServers/a/headers/A',
      'warning whitespace /mcpServers/b/command',
    ]);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  it('refuses a text that is too long', () => {
    const { problems, entries } = FILE_FORMATS.cursor.read(' '.repeat(16 * 1024 * 1024 + 1));
    expect(entries).toEqual([]);
    expect(problems[0]).toMatchObject({ code: 'size', severity: 'error' });
  });

  it('puts no control characters of a file into the line of a problem, and no endless names', () => {
    const servers = { 'a\u001B[2J': { command: 'x' }, [`b${'c'.repeat(100_000)}`]: {} };
    const lines = read('vscode', { servers }).problems.map(problemLine);
    expect(lines[0]).toContain(String.raw`/servers/a\u{1b}[2J: The name of a server`);
    expect(lines.every((line) => line.length < 500)).toBe(true);
  });

  it('tells no more than 200 problems', () => {
    const servers = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`s${at}`, 1]));
    const { problems, skipped } = read('vscode', { servers });
    expect(problems).toHaveLength(200);
    expect(skipped).toHaveLength(1000);
  });

  it('says which member holds the servers', () => {
    expect(linesOf(read('vscode', { mcpServers: {} }))).toEqual([
      ' VS Code has its servers under "servers", and this file has "mcpServers": rename it, or read it as another format.',
    ]);
    expect(linesOf(read('cursor', {}))).toEqual([' "mcpServers", which holds the servers of Cursor, is missing.']);
    expect(linesOf(read('claude-code', { numStartups: 3 }))).toEqual([]);
    expect(linesOf(read('cursor', []))).toEqual([' must be a JSON object.']);
    expect(linesOf(read('cursor', { mcpServers: [] }))).toEqual(['/mcpServers must be an object.']);
  });
});

describe('Claude Desktop', () => {
  it('has servers with a command alone', () => {
    const { entries, problems, skipped } = read('claude-desktop', { mcpServers: { a: { url: 'https://x.example' } } });
    expect(entries).toEqual([]);
    expect(problems[0]).toMatchObject({ code: 'unsupported', pointer: '/mcpServers/a/url' });
    expect(skipped).toHaveLength(1);
  });

  it('has no references, and says which format one belongs to', () => {
    expect(linesOf(read('claude-desktop', { mcpServers: { a: { command: 'x', env: { T: '${TOKEN}' } } } }))).toEqual([
      '/mcpServers/a/env/T ${TOKEN} is a reference of Claude Code, not of Claude Desktop: it has no word for it.',
    ]);
  });

  it('knows a disabled server', () => {
    expect(reachOf('claude-desktop', 'plain')).toMatchObject({ isDisabled: true, other: { disabled: true } });
  });
});

describe('Claude Code', () => {
  it('has every field in its place', () => {
    expect(reachOf('claude-code', 'b')).toMatchObject({
      name: 'b',
      reach: {
        type: 'http',
        url: '${BASE:-https://example.com}/mcp',
        headers: { Authorization: 'Bearer ${KEY}' },
        oauth: {
          clientId: 'client-1',
          callbackPort: 8080,
          scopes: ['read', 'write'],
          authServerMetadataUrl: 'https://auth.example.com/.well-known/x',
        },
      },
      timeoutMs: 600_000,
      alwaysLoad: true,
      other: { headersHelper: '/opt/h.sh' },
      origin: { format: 'claude-code', scope: 'user', file: '/f.json', pointer: '/mcpServers/b' },
    });
  });

  it('warns that no program makes headers', () => {
    expect(linesOf(read('claude-code', SAMPLES['claude-code']))).toEqual([
      '/mcpServers/b/headersHelper is a program that makes headers, and is not run here: give the headers themselves.',
    ]);
  });

  it('takes an address without a type for an error, with the remedy', () => {
    expect(linesOf(read('claude-code', { mcpServers: { a: { url: 'https://x.example' } } }))).toEqual([
      '/mcpServers/a/url "url" without "type" is read as a command by Claude Code: add "type": "http" or "streamable-http" or "sse".',
    ]);
  });

  it('reads streamable-http as http, and keeps a WebSocket that it cannot use', () => {
    const value = {
      mcpServers: {
        a: { type: 'streamable-http', url: 'https://x.example' },
        d: { type: 'ws', url: 'wss://x.example' },
      },
    };
    const document = read('claude-code', value);
    expect(document.entries.map(({ reach }) => reach.type)).toEqual(['http']);
    expect(linesOf(document)).toEqual([expect.stringContaining('/mcpServers/d/type is "ws"')]);
    expect(JSON.parse(FILE_FORMATS['claude-code'].write(document).text)).toMatchObject({
      mcpServers: { d: value.mcpServers.d },
    });
  });

  const home = {
    numStartups: 4,
    mcpServers: { shared: { command: 'user' } },
    projects: {
      '/projects/a/': { history: ['x'], mcpServers: { shared: { type: 'stdio', command: 'local' } } },
      '/projects/b': { mcpServers: { other: { command: 'b' } } },
      'C:\\Projects\\A': { mcpServers: { win: { command: 'w' } } },
    },
  };

  it('reads the servers of one folder from the file of the user, and writes all of it again', () => {
    const document = FILE_FORMATS['claude-code'].read(JSON.stringify(home), {
      file: '/home/u/.claude.json',
      scope: 'user',
      folder: '/projects/a',
    });
    expect(document.entries.map(({ name, reach, origin }) => [name, reach, origin.scope, origin.pointer])).toEqual([
      ['shared', { type: 'stdio', command: 'local' }, 'local', '/projects/~1projects~1a~1/mcpServers/shared'],
      ['shared', { type: 'stdio', command: 'user' }, 'user', '/mcpServers/shared'],
    ]);
    const { text, lost } = FILE_FORMATS['claude-code'].write(document);
    expect(JSON.parse(text)).toEqual({ ...home, mcpServers: { shared: { type: 'stdio', command: 'user' } } });
    expect(lost).toEqual([]);
  });

  it('knows a folder of Windows by either slash', () => {
    const { entries } = FILE_FORMATS['claude-code'].read(JSON.stringify(home), {
      scope: 'user',
      folder: 'c:/projects/a',
    });
    expect(entries.map(({ name }) => name)).toEqual(['win', 'shared']);
  });

  it('takes no local servers from the file of a repository, which would need no trust', () => {
    const { entries } = FILE_FORMATS['claude-code'].read(JSON.stringify(home), {
      scope: 'project',
      folder: '/projects/a',
    });
    expect(entries.map(({ origin }) => origin.scope)).toEqual(['project']);
  });
});

describe('VS Code', () => {
  it('has every field in its place', () => {
    expect(reachOf('vscode', 's')).toMatchObject({
      reach: {
        type: 'stdio',
        command: 'npx',
        env: { N: null, K: '${input:api-key}' },
        envFile: '${workspaceFolder}/.env',
        cwd: '${workspaceFolder}',
      },
      other: { sandboxEnabled: true, dev: { watch: 'src/**' } },
    });
    expect(reachOf('vscode', 'h')).toMatchObject({
      reach: { oauth: { clientId: 'client-2' } },
      other: { oauth: { enterpriseManaged: true } },
    });
    expect(read('vscode', SAMPLES.vscode).inputs).toMatchObject([
      { id: 'api-key', type: 'text', isSecret: true, description: 'Key of the API', origin: { pointer: '/inputs/0' } },
      { id: 'region', default: 'eu' },
      {
        id: 'stage',
        type: 'choice',
        options: [
          { label: 'dev', value: 'dev' },
          { label: 'Production', value: 'prod' },
        ],
      },
      { id: 'tok', type: 'command', other: { command: 'ext.getKey' } },
    ]);
  });

  it('warns that a sandbox is not followed', () => {
    expect(linesOf(read('vscode', SAMPLES.vscode))).toEqual([
      expect.stringContaining('/servers/s/sandboxEnabled is not followed here: the server runs without a sandbox.'),
    ]);
  });

  it('refuses inputs of another shape, and keeps them', () => {
    const inputs = [
      { id: 'a', type: 'promptString', password: 'yes' },
      { id: 'b', type: 'other' },
      { type: 'promptString' },
      { id: 'c', type: 'pickString', options: [1] },
      { id: 'd', type: 'promptString' },
      { id: 'd', type: 'promptString' },
      7,
    ];
    const document = read('vscode', { servers: {}, inputs });
    expect(document.inputs.map(({ id }) => id)).toEqual(['d']);
    expect(linesOf(document)).toEqual([
      '/inputs/0/password must be true or false.',
      '/inputs/1/type must be "promptString", "pickString" or "command".',
      '/inputs/2/id must be a text that is not empty.',
      '/inputs/3/options must be a list of choices.',
      '/inputs/5/id is the id of another input, too.',
      '/inputs/6 must be an object.',
    ]);
    const written = JSON.parse(FILE_FORMATS.vscode.write(document).text) as { inputs: unknown[] };
    expect(written.inputs).toHaveLength(inputs.length);
    expect(written.inputs).toEqual(expect.arrayContaining(inputs));
    expect(linesOf(read('vscode', { servers: {}, inputs: {} }))).toEqual(['/inputs must be a list.']);
  });

  it('warns of sockets, which are not connected to here', () => {
    const { entries, problems } = read('vscode', { servers: { a: { type: 'http', url: 'unix:///s.sock#/mcp' } } });
    expect(entries).toHaveLength(1);
    expect(problems[0]).toMatchObject({ severity: 'warning', code: 'unsupported' });
  });
});

describe('Cursor', () => {
  it('has every field in its place', () => {
    expect(reachOf('cursor', 'remote')).toMatchObject({
      reach: {
        type: 'http',
        oauth: { clientId: 'client-3', clientSecret: 'CANARY-cursor', scopes: ['read', 'write'] },
      },
    });
    expect(reachOf('cursor', 'local')).toMatchObject({ reach: { type: 'stdio', envFile: '.env' } });
  });

  it('names the member of its own file in problems', () => {
    const value = { mcpServers: { a: { url: 'https://x.example', auth: { CLIENT_ID: '${ID}', scopes: 'read' } } } };
    expect(linesOf(read('cursor', value))).toEqual([
      '/mcpServers/a/auth/scopes must be a list of texts.',
      '/mcpServers/a/auth has members that cannot be used.',
    ]);
    const typed = { mcpServers: { a: { url: 'https://x.example', auth: { CLIENT_ID: '${ID}' } } } };
    expect(linesOf(read('cursor', typed))).toEqual([
      '/mcpServers/a/auth/CLIENT_ID ${ID} is a reference of Claude Code, not of Cursor: there it is written ${env:ID}.',
    ]);
  });

  it('follows a type that its file need not have', () => {
    const value = { mcpServers: { a: { type: 'sse', url: 'https://x.example' } } };
    const document = read('cursor', value);
    expect(document.entries[0]?.reach.type).toBe('sse');
    expect(JSON.parse(FILE_FORMATS.cursor.write(document).text)).toEqual(value);
  });
});

describe('Crosspoint', () => {
  it('has a place for every member of an entry', () => {
    expect(reachOf('crosspoint', 'all')).toMatchObject({
      isDisabled: true,
      timeoutMs: 5000,
      alwaysLoad: true,
      roots: ['${workspaceFolder}'],
      isTrusted: true,
      reach: { env: { KEY: '${secret:acme}', OUT: null }, cwd: '${userHome}', envFile: '${workspaceFolder}/.env' },
    });
  });

  it('lets no repository say that its servers are to be believed', () => {
    const { entries, problems } = read('crosspoint', SAMPLES.crosspoint, 'project');
    expect(entries.every(({ isTrusted }) => isTrusted === undefined)).toBe(true);
    expect(problems).toMatchObject([{ code: 'ignored', pointer: '/servers/all/trusted' }]);
  });

  it('refuses a later version', () => {
    const { entries, problems } = read('crosspoint', { crosspoint: 2, servers: { a: { command: 'x' } } });
    expect(entries).toEqual([]);
    expect(problems).toMatchObject([{ code: 'unsupported', pointer: '/crosspoint' }]);
  });
});

describe('detectFormat', () => {
  it.each([
    ['C:\\Users\\u\\AppData\\Roaming\\Claude\\claude_desktop_config.json', '', 'claude-desktop'],
    ['/home/u/.claude.json', '', 'claude-code'],
    ['.mcp.json', '', 'claude-code'],
    ['/repo/.vscode/mcp.json', '', 'vscode'],
    ['/home/u/.config/Code/User/mcp.json', '', 'vscode'],
    ['C:\\repo\\.cursor\\mcp.json', '', 'cursor'],
    ['/repo/crosspoint.json', '', 'crosspoint'],
    [undefined, '{"crosspoint":1}', 'crosspoint'],
    [undefined, '{"servers":{}, /* x */ }', 'vscode'],
    [undefined, '{"servers":{},"inputs":[{"id":"a","type":"text"}]}', 'crosspoint'],
    [undefined, '{"mcpServers":{},"projects":{}}', 'claude-code'],
    [undefined, '{"mcpServers":{"a":{"url":"https://x"}}}', 'cursor'],
    [undefined, '{"mcpServers":{"a":{"command":"${env:X}"}}}', 'cursor'],
    [undefined, '{"mcpServers":{"a":{"type":"http","url":"${X}"}}}', 'claude-code'],
    ['mcp.json', '{"mcpServers":{},"servers":{}}', undefined],
    ['mcp.json', 'oops', undefined],
    ['mcp.json', '[]', undefined],
  ] as const)('takes %s with %s for %s', (path, text, format) => {
    expect(detectFormat(path, text)).toBe(format);
  });

  it.each(FORMAT_IDS.filter((format) => format !== 'claude-desktop'))('knows the sample of %s', (format) => {
    expect(detectFormat(undefined, textOf(format))).toBe(format);
  });
});
