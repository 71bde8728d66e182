import { describe, expect, it } from 'vitest';
import { convertConfiguration, type Converted } from '../../src/config/convert/convert-configuration.ts';
import type { FileFormatId } from '../../src/config/formats/format.ts';
import { FILE_FORMATS } from '../../src/config/formats/formats.ts';
import type { Json } from '../../src/values/json.ts';
import { FORMAT_IDS, SAMPLES, textOf } from './samples.ts';

const PAIRS = FORMAT_IDS.flatMap((from) => FORMAT_IDS.map((to) => [from, to] as const));

const convert = (from: FileFormatId, to: FileFormatId, value: Json = SAMPLES[from]): Converted =>
  convertConfiguration({ text: JSON.stringify(value), format: from, scope: 'user' }, to);

const lostIn = ({ lost }: Converted): string[] => lost.map(({ pointer, why }) => `${pointer}: ${why}`);

const HAS_INPUTS = ['vscode', 'crosspoint'];

describe('each format to each', () => {
  it.each(PAIRS)('%s to %s gives a file that its program can read', (from, to) => {
    const { text, lost } = convert(from, to);
    const again = FILE_FORMATS[to].read(text, { scope: 'user' });
    const faults = again.problems.filter(({ severity }) => severity === 'error');
    expect(faults).toEqual([]);
    const gone = lost.filter(({ pointer }) =>
      /^\/(?:servers|mcpServers)\/[^/]+(?:\/(?:command|url|args\/\d+))?$/.test(pointer),
    );
    const names = Object.keys((SAMPLES[from]['servers'] ?? SAMPLES[from]['mcpServers']) as object);
    const missing = names.filter((name) => !again.entries.some((entry) => entry.name === name));
    expect(missing.filter((name) => !gone.some(({ server }) => server === name))).toEqual([]);
    if (HAS_INPUTS.includes(from) && HAS_INPUTS.includes(to))
      expect(again.inputs.map(({ id }) => id)).toEqual(
        (SAMPLES[from]['inputs'] as { id: string }[]).map(({ id }) => id),
      );
  });

  it.each(FORMAT_IDS)('%s to itself loses nothing', (format) => {
    const { text, lost } = convert(format, format);
    expect(lost).toEqual([]);
    expect(JSON.parse(text)).toEqual(SAMPLES[format]);
  });

  it.each(FORMAT_IDS.filter((format) => format !== 'crosspoint'))(
    '%s to Crosspoint and back loses nothing',
    (format) => {
      const there = convert(format, 'crosspoint');
      const state = format === 'claude-desktop' ? ['/globalShortcut'] : [];
      expect(there.lost.map(({ pointer }) => pointer)).toEqual(state);
      const back = convertConfiguration({ text: there.text, format: 'crosspoint', scope: 'user' }, format);
      const { globalShortcut: _state, ...sample } = structuredClone(SAMPLES[format]);
      // Only our own program follows `disabled`, so that another file does not get it.
      const plain = (sample['mcpServers'] as Record<string, Record<string, Json>> | undefined)?.['plain'];
      expect(back.lost.map(({ pointer }) => pointer)).toEqual(plain === undefined ? [] : ['/servers/plain/disabled']);
      if (plain !== undefined) delete plain['disabled'];
      expect(JSON.parse(back.text)).toEqual(sample);
    },
  );

  it.each(PAIRS)('%s to %s: every value is in the file or among the lost fields', (from, to) => {
    const { text, lost } = convert(from, to);
    const written = JSON.parse(text) as Json;
    const kept = new Set(leaves(written).map(({ value }) => normal(value)));
    const unaccounted = leaves(SAMPLES[from]).filter(({ pointer, value }) => {
      if (kept.has(normal(value))) return false;
      return !lost.some((field) => pointer === field.pointer || pointer.startsWith(`${field.pointer}/`));
    });
    const translated = unaccounted.filter(({ value }) => !(typeof value === 'string' && value.includes('${')));
    expect(translated.filter(({ pointer }) => !SAME_MEANING.test(pointer))).toEqual([]);
  });
});

/** Members whose value is written in other words: types, options of inputs, scopes, the mark of ours. */
const SAME_MEANING = /\/(?:type|password|secret|options(?:\/.*)?|scopes(?:\/\d+)?|crosspoint|title)$/;

interface Leaf {
  readonly pointer: string;
  readonly value: Json;
}

function leaves(value: Json | undefined, pointer = ''): Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ pointer, value: value ?? null }];
  return Object.entries(value).flatMap(([key, member]) =>
    leaves(member as Json, `${pointer}/${key.replaceAll('/', '~1')}`),
  );
}

const normal = (value: Json): string => JSON.stringify(value);

describe('fields that have no place', () => {
  it('are listed from VS Code to Claude Code, and inputs become variables', () => {
    const converted = convert('vscode', 'claude-code');
    expect(lostIn(converted)).toEqual([
      '/servers/s/args/2: ${input:region} became ${REGION:-…}: set the environment variable REGION.',
      '/servers/s/args/3: Claude Code has no word for ${workspaceFolder}.',
      '/servers/s: The server is left out: it cannot be without these fields.',
      '/servers/h/headers/X-Stage: ${input:stage} became ${STAGE}: set the environment variable STAGE.',
      '/inputs/0: Claude Code does not ask for values.',
      '/inputs/1: Claude Code does not ask for values.',
      '/inputs/2: Claude Code does not ask for values.',
      '/inputs/3: Claude Code does not ask for values.',
      '/servers/h/oauth/enterpriseManaged: Only VS Code has this member.',
      '/sandbox: Only VS Code has this member.',
    ]);
    expect(JSON.parse(converted.text)).toEqual({
      mcpServers: {
        h: {
          type: 'http',
          url: 'https://example.com/mcp',
          headers: { 'X-Stage': '${STAGE}' },
          oauth: { clientId: 'client-2' },
        },
        e: { type: 'sse', url: 'https://example.com/sse' },
      },
    });
  });

  it('are listed from Crosspoint to Cursor', () => {
    expect(lostIn(convert('crosspoint', 'cursor'))).toEqual([
      '/servers/all/args/0: ${env:SCRIPT:-…} became ${env:SCRIPT}: its default has no place.',
      '/servers/all/args/1: ${input:mode} became ${env:MODE}: set the environment variable MODE.',
      '/servers/all/env/KEY: ${secret:acme} became ${env:ACME}: set the environment variable ACME.',
      '/servers/web/url: ${input:mode} became ${env:MODE}: set the environment variable MODE.',
      '/servers/web/headers/Authorization: ${secret:web} became ${env:WEB}: set the environment variable WEB.',
      '/servers/web/oauth/clientSecret: ${secret:client} became ${env:CLIENT}: set the environment variable CLIENT.',
      '/inputs/0: Cursor does not ask for values.',
      '/inputs/1: Cursor does not ask for values.',
      '/inputs/2: Cursor does not ask for values.',
      '/inputs/3: Cursor does not ask for values.',
      '/servers/all/env/OUT: Cursor cannot remove an inherited variable.',
      '/servers/all/cwd: Cursor has no "cwd".',
      '/servers/all/disabled: Cursor has no such member.',
      '/servers/all/timeoutMs: Cursor has no such member.',
      '/servers/all/alwaysLoad: Cursor has no such member.',
      '/servers/all/roots: Cursor has no such member.',
      '/servers/all/trusted: Cursor has no such member.',
      '/servers/web/oauth/callbackPort: Cursor has no such setting of a login.',
      '/servers/web/oauth/authServerMetadataUrl: Cursor has no such setting of a login.',
      '/servers/old/type: Cursor has no "type": it finds the transport itself.',
    ]);
  });

  it('are listed from Cursor, by their names there', () => {
    expect(lostIn(convert('cursor', 'vscode'))).toEqual([
      '/mcpServers/remote/auth/CLIENT_SECRET: VS Code has no such setting of a login.',
      '/mcpServers/remote/auth/scopes: VS Code has no such setting of a login.',
    ]);
    expect(lostIn(convert('cursor', 'claude-code'))).toContain(
      '/mcpServers/local/args/1: ${userHome} became ${HOME}: on Windows, set the variable HOME.',
    );
  });

  it('are listed from Claude Code to Claude Desktop, which has no references and no addresses', () => {
    expect(lostIn(convert('claude-code', 'claude-desktop'))).toEqual([
      '/mcpServers/a/command: Claude Desktop has no word for ${BIN:-…}.',
      '/mcpServers/a/args/2: Claude Desktop has no word for ${MODE}.',
      '/mcpServers/a: The server is left out: it cannot be without these fields.',
      '/mcpServers/b/url: Claude Desktop has no word for ${BASE:-…}.',
      '/mcpServers/b: The server is left out: it cannot be without these fields.',
      '/mcpServers/c: Claude Desktop has no servers at an address in its file; add it there as a connector.',
    ]);
  });

  it('of inputs are listed from Crosspoint to VS Code', () => {
    const inputs = lostIn(convert('crosspoint', 'vscode')).filter((line) => line.startsWith('/inputs'));
    expect(inputs).toEqual([
      '/inputs/0/type: VS Code has no input of the type number; it asks for a text.',
      '/inputs/0/title: VS Code shows one text.',
      '/inputs/0/required: VS Code asks without this rule.',
      '/inputs/0/minimum: VS Code asks without this rule.',
      '/inputs/0/maximum: VS Code asks without this rule.',
      '/inputs/1/type: VS Code has no input of the type directory; it asks for a text.',
      '/inputs/1/list: VS Code asks without this rule.',
    ]);
  });

  it('are entries that could not be read, and entries whose name is taken', () => {
    const value = {
      mcpServers: { a: { command: 'user' }, ws: { type: 'ws', url: 'wss://x.example' } },
      projects: { '/r': { mcpServers: { a: { command: 'local' } } } },
    };
    const source = { text: JSON.stringify(value), format: 'claude-code', scope: 'user', folder: '/r' } as const;
    const converted = convertConfiguration(source, 'cursor');
    expect(JSON.parse(converted.text)).toEqual({ mcpServers: { a: { type: 'stdio', command: 'local' } } });
    expect(lostIn(converted)).toEqual([
      '/mcpServers/a: Another server of this name comes before it.',
      '/mcpServers/ws: It could not be read.',
      '/projects: It is state of Claude Code, and about no server that was read.',
    ]);
    expect(converted.problems).toMatchObject([{ pointer: '/mcpServers/ws/type' }]);
  });
});

describe('references', () => {
  const only = (from: FileFormatId, to: FileFormatId, text: string): unknown => {
    const value = {
      [from === 'vscode' || from === 'crosspoint' ? 'servers' : 'mcpServers']: {
        a: { command: 'x', env: { T: text } },
      },
    };
    const written = JSON.parse(convert(from, to, value).text) as Record<string, { a?: { env?: { T?: string } } }>;
    return (written['servers'] ?? written['mcpServers'])?.a?.env?.T;
  };

  it.each([
    ['claude-code', 'vscode', '${TOKEN}', '${env:TOKEN}'],
    ['claude-code', 'crosspoint', '${A:-b}', '${env:A:-b}'],
    ['crosspoint', 'claude-code', '${env:A:-b}', '${A:-b}'],
    ['cursor', 'claude-code', 'x ${env:TOKEN}', 'x ${TOKEN}'],
    ['cursor', 'vscode', '${pathSeparator}${userHome}', '${pathSeparator}${userHome}'],
    ['vscode', 'crosspoint', '${input:k}', '${input:k}'],
    ['vscode', 'claude-code', 'a${/}b', 'a/b'],
    ['crosspoint', 'vscode', '$${x}', undefined],
    ['claude-code', 'cursor', '${env:COPIED}', undefined],
    ['cursor', 'claude-code', '${env:ProgramFiles(x86)}', undefined],
  ] as const)('from %s to %s: %s becomes %s', (from, to, text, result) => {
    expect(only(from, to, text)).toBe(result);
  });

  it('get variables of their own where two inputs would share a name', () => {
    const value = { servers: { a: { command: 'x', args: ['${input:api-key}', '${input:api_key}', '${input:1st}'] } } };
    expect(JSON.parse(convert('vscode', 'claude-code', value).text)).toMatchObject({
      mcpServers: { a: { args: ['${API_KEY}', '${API_KEY_2}', '${_1ST}'] } },
    });
  });

  it('that were literal stay literal in Crosspoint', () => {
    const value = { crosspoint: 1, servers: { a: { type: 'stdio', command: 'x', args: ['$${A}'] } } };
    expect(JSON.parse(convert('crosspoint', 'crosspoint', value).text)).toEqual(value);
  });
});

describe('a source', () => {
  it('need not name its format', () => {
    expect(convertConfiguration({ text: textOf('cursor') }, 'cursor').lost).toEqual([]);
    expect(() => convertConfiguration({ text: '{}' }, 'cursor')).toThrow(/cannot be told/);
  });

  it('that cannot be read is an empty file and a problem', () => {
    const { text, problems } = convertConfiguration({ text: '{', format: 'vscode' }, 'cursor');
    expect(JSON.parse(text)).toEqual({ mcpServers: {} });
    expect(problems).toMatchObject([{ code: 'syntax', line: 1, column: 2 }]);
  });
});
