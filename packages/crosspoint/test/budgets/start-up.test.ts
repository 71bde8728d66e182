import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LIBRARY } from './programs.ts';

interface Loaded {
  readonly files: number;
  readonly bytes: number;
  readonly packages: readonly string[];
  readonly code: string;
}

const STATIC_IMPORT = /^(?:import|export)\b[^("']*["']([^"']+)["'];?$/gm;

/** The validator is a package of its own, and counts as files of the library. */
const VALIDATOR = join(LIBRARY, '..', 'json-schema', 'dist', 'index.js');

/** What is read and compiled before the first line of a program runs that imports these entries. */
function loadedBy(...entries: readonly string[]): Loaded {
  const codes = new Map<string, string>();
  const packages = new Set<string>();
  const visit = (path: string): void => {
    if (codes.has(path)) return;
    const code = readFileSync(path, 'utf8');
    codes.set(path, code);
    for (const [, specifier = ''] of code.matchAll(STATIC_IMPORT)) {
      if (specifier.startsWith('.')) visit(join(dirname(path), specifier));
      else if (specifier === '@crosspoint/json-schema') visit(VALIDATOR);
      else if (!/^(?:node:|#)/.test(specifier)) packages.add(specifier);
    }
  };
  for (const entry of entries) visit(join(LIBRARY, entry));
  const code = [...codes.values()].join('');
  return { files: codes.size, bytes: code.length, packages: [...packages], code };
}

const manifest = JSON.parse(readFileSync(join(LIBRARY, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { readonly default: string }>;
};

/** The file that an `import` of an entry loads. */
function fileOf(entry: string): string {
  const target = manifest.exports[entry] ?? '';
  return typeof target === 'string' ? target : target.default;
}

const BUDGETS = [
  { program: 'a stdio server', entries: ['./server/stdio'], files: 3, bytes: 270_400, packages: [] },
  { program: 'an HTTP server', entries: ['./server'], files: 4, bytes: 386_900, packages: [] },
  { program: 'a client', entries: ['./client'], files: 5, bytes: 325_900, packages: ['eventsource-parser'] },
  { program: 'a stdio client', entries: ['./client/stdio'], files: 4, bytes: 296_900, packages: ['cross-spawn'] },
];

/** Those of these classes that are in what is read when a program starts. */
function classesIn({ code }: Loaded, names: readonly string[]): string[] {
  return names.filter((name) => new RegExp(`\\bclass ${name}\\b|\\b${name} = class\\b`).test(code));
}

it('a stdio client loads nothing of HTTP or of a login', () => {
  const classes = ['StdioClientTransport', 'StreamableHTTPClientTransport', 'SSEClientTransport', 'OAuthAuthorizer'];
  expect(classesIn(loadedBy(fileOf('./client/stdio')), classes)).toEqual(['StdioClientTransport']);
});

it('a server loads nothing of tasks and of the JSON Schema validator, and one over stdio nothing of HTTP', () => {
  const optional = ['TaskService', 'TaskRunner', 'DocumentCompiler', 'SchemaRegistry'];
  const ofHttp = ['Endpoint', 'StreamableHTTPServerTransport', 'SSEServerTransport'];
  const classes = ['McpServer', 'StdioServerTransport', ...optional, ...ofHttp];
  expect(classesIn(loadedBy(fileOf('./server/stdio')), classes)).toEqual(['McpServer', 'StdioServerTransport']);
  expect(classesIn(loadedBy(fileOf('./server')), classes)).toEqual(['McpServer', ...ofHttp]);
});

describe('what a program loads when it starts', () => {
  it.each(BUDGETS)('$program loads $files files, $bytes bytes at most', ({ entries, files, bytes, packages }) => {
    const loaded = loadedBy(...entries.map(fileOf));
    expect(loaded.files).toBeLessThanOrEqual(files);
    expect(loaded.bytes).toBeLessThanOrEqual(bytes);
    expect(loaded.bytes).toBeGreaterThan(100_000);
    expect(loaded.packages).toEqual(packages);
  });
});

it('the published JavaScript is ASCII, so that each file takes one byte for each character when it is loaded', () => {
  const files = readdirSync(join(LIBRARY, 'dist'), { recursive: true, encoding: 'utf8' });
  const scripts = files.filter((name) => name.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(10);
  expect(scripts.filter((name) => /[^\0-\x7f]/.test(readFileSync(join(LIBRARY, 'dist', name), 'utf8')))).toEqual([]);
});
