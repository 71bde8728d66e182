/** What may stand where in `src/`. Each rule is a function from files to the sentences that say what breaks it. */
import { posix } from 'node:path';
import { importsOf, readSource, type Import, type SourceText } from './source-text.ts';

export interface SourceFile {
  /** Relative to `src/`, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface ReadFile extends SourceFile, SourceText {
  /** The folder directly under `src/`; empty for files in `src/` itself. */
  readonly folder: string;
  readonly imports: readonly Import[];
}

export interface Arrows {
  /** Folders whose files may be imported. */
  readonly values: readonly string[];
  /** Single files that may be imported as types alone. */
  readonly types?: readonly string[];
  /** Single files that may be imported besides. */
  readonly files?: readonly string[];
}

const REVISION = 'revisions/revision.ts';
const TRANSPORT = 'transports/transport.ts';
const STORE = 'stores/store.ts';
const LEFT_BEHIND = ['stores/left-behind.ts', 'stores/shares.ts'];
const BOTH_SIDES = [
  'transports',
  'peer',
  'revisions',
  'protocol',
  'jsonrpc',
  'runtime',
  'wire',
  'schema',
  'auth',
  'stores',
  'extensions',
];
const EVERYTHING = [...BOTH_SIDES, 'client', 'server', 'middleware', 'testing'];

/** Folder → what its files may import beside each other. */
export const ARROWS: Readonly<Record<string, Arrows>> = {
  runtime: { values: [] },
  jsonrpc: { values: ['runtime'] },
  wire: { values: ['runtime'] },
  protocol: { values: ['jsonrpc', 'runtime'] },
  revisions: { values: ['protocol', 'jsonrpc', 'runtime'] },
  peer: { values: ['protocol', 'jsonrpc', 'runtime'], types: [REVISION, TRANSPORT, STORE] },
  schema: { values: ['protocol', 'jsonrpc', 'runtime'] },
  // A store brings the code of servers that use it.
  stores: { values: ['protocol', 'jsonrpc', 'runtime'], files: ['server/stored/store-serving.ts'] },
  auth: { values: ['transports', 'protocol', 'jsonrpc', 'runtime', 'wire', 'stores'] },
  transports: { values: ['peer', 'protocol', 'jsonrpc', 'runtime', 'wire'], types: [REVISION, STORE, ...LEFT_BEHIND] },
  // An extension brings the code of servers that use it.
  extensions: {
    values: ['protocol', 'jsonrpc', 'runtime', 'wire', 'schema', 'stores'],
    types: [REVISION, TRANSPORT],
    files: ['server/server-extension.ts'],
  },
  middleware: { values: ['protocol', 'jsonrpc', 'runtime'] },
  server: { values: BOTH_SIDES },
  client: { values: BOTH_SIDES },
  internal: { values: BOTH_SIDES, types: ['server/calls/handler.ts'] },
  testing: { values: EVERYTHING },
  '': { values: EVERYTHING },
};

/** The list of revisions: known to those who choose one, and to nobody who merely has one. Its types choose nothing. */
const REVISION_LIST = /^revisions\/(?:index|selection)\.ts$/;
const MAY_CHOOSE =
  /^(?:index\.ts$|revisions\/|server\/|client\/(?:connecting\/negotiat[^/]*|client-options)\.ts$|testing\/)/;

const MAY_USE_NODE = /(?:^|[/-])node\.ts$|^transports\/stdio\/|^stores\/sqlite\.ts$/;
const VAGUE_NAME = /(?:^|[/-])(?:utils?|helpers?|common|manager)(?:-[^/]*)?\.ts$/;
const MCP_WORD =
  /\b(?:mcp|tools?|resources?|prompts?|initiali[sz]ed?|sampling|elicit\w*|roots?|completions?|handshake)\b|modelcontextprotocol/i;
const MAX_LINES = 400;
const MAX_FILES = 21;

export function readFiles(files: readonly SourceFile[]): ReadFile[] {
  return files.map((file) => {
    const source = readSource(file.text);
    const folder = file.path.includes('/') ? file.path.slice(0, file.path.indexOf('/')) : '';
    return { ...file, ...source, folder, imports: importsOf(source) };
  });
}

/** The path under `src/` that a relative import names; `undefined` for a package. */
function target(file: ReadFile, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(file.path), specifier)) : undefined;
}

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '');

/** `table`: that of the package whose files they are. */
export function arrowFaults(files: readonly ReadFile[], table: Readonly<Record<string, Arrows>> = ARROWS): string[] {
  return files.flatMap((file) => {
    const arrows = table[file.folder];
    if (arrows === undefined) return [`${file.path}: the folder has no row in the table of arrows`];
    return file.imports.flatMap(({ specifier, typeOnly }) => {
      const path = target(file, specifier);
      if (path === undefined) return [];
      if (path.startsWith('..')) return [`${file.path} imports ${specifier}, which is outside src/`];
      if (REVISION_LIST.test(path) && !typeOnly && !MAY_CHOOSE.test(file.path))
        return [`${file.path} imports ${path}, but does not choose a revision`];
      if (folderOf(path) === file.folder || arrows.values.includes(folderOf(path)) || arrows.files?.includes(path))
        return [];
      if (arrows.types?.includes(path))
        return typeOnly ? [] : [`${file.path} imports values of ${path}, where only types are allowed`];
      return [`${file.path} imports ${path}`];
    });
  });
}

/** Packages that a program may use and that nothing here may need. */
const FOREIGN = /^(?:zod|express)(?:\/|$)/;

export function foreignFaults(files: readonly ReadFile[]): string[] {
  return files.flatMap((file) =>
    file.imports
      .filter(({ specifier }) => FOREIGN.test(specifier))
      .map(({ specifier }) => `${file.path} imports ${specifier}`),
  );
}

/** The files that a program loads, or may load, when it imports `entry`. */
export function reachedFrom(files: readonly ReadFile[], entry: string): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const visit = (path: string | undefined): void => {
    const file = path === undefined || reached.has(path) ? undefined : byPath.get(path);
    if (file === undefined) return;
    reached.add(file.path);
    for (const { specifier, typeOnly } of file.imports) if (!typeOnly) visit(target(file, specifier));
  };
  visit(entry);
  return [...reached];
}

export function nodeFaults(files: readonly ReadFile[]): string[] {
  return files.flatMap((file) =>
    MAY_USE_NODE.test(file.path)
      ? []
      : file.imports
          .filter(({ specifier }) => specifier.startsWith('node:'))
          .map(({ specifier }) => `${file.path} imports ${specifier}`),
  );
}

/** `ids` are the revisions there are; other dates (of a removal, say) may be named anywhere. */
export function revisionNameFaults(files: readonly SourceFile[], ids: readonly string[]): string[] {
  return files.flatMap((file) =>
    file.path.startsWith('revisions/')
      ? []
      : ids.filter((id) => file.text.includes(id)).map((id) => `${file.path} names ${id}`),
  );
}

export function unsafeCodeFaults(files: readonly ReadFile[]): string[] {
  const forbidden: [RegExp, string][] = [
    [/(?<![.\w])eval\s*\(|\bglobalThis\s*\.\s*eval\b/, 'eval'],
    [/(?<![.\w])(?:new\s+)?Function\s*\(/, 'Function'],
    [/\bshell\s*:(?!\s*false\b)/, 'a shell'],
  ];
  return files.flatMap((file) =>
    forbidden.filter(([pattern]) => pattern.test(file.bare)).map(([, what]) => `${file.path} uses ${what}`),
  );
}

export function shapeFaults(files: readonly ReadFile[]): string[] {
  return files.flatMap((file) => {
    const faults: string[] = [];
    if (/\bexport\s*\*/.test(file.bare)) faults.push(`${file.path} has an export *`);
    if (/\bexport\s+default\b|\bas\s+default\b/.test(file.bare)) faults.push(`${file.path} has a default export`);
    const lines = file.text.trimEnd().split('\n').length;
    if (lines > MAX_LINES) faults.push(`${file.path} has ${lines} lines, more than ${MAX_LINES}`);
    if (VAGUE_NAME.test(file.path)) faults.push(`${file.path} has a name that says nothing`);
    return faults;
  });
}

/** Classes that two files export under one name. */
export function sameClassFaults(files: readonly ReadFile[]): string[] {
  const known = new Map<string, string>();
  return files.flatMap((file) =>
    [...file.bare.matchAll(/^export (?:abstract )?class (\w+)/gm)].flatMap(([, name = '']) => {
      const first = known.get(name);
      known.set(name, file.path);
      return first === undefined ? [] : [`${first} and ${file.path} export a class ${name}`];
    }),
  );
}

/** Comments whose first word does not name their subject. */
export function vagueCommentFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:\/\*\*?|\/\/|^\s*\*)[ \n*]+((?:What|Whoever|Nobody|Somebody)\b.{0,40})/gm)].map(
      ([, words = '']) => `${path} has a comment that begins with "${words}"`,
    ),
  );
}

/** Folders with more files than a reader can take in at once; files in folders of theirs count there. */
export function crowdedFaults(files: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
  return [...counts].flatMap(([folder, count]) =>
    count > MAX_FILES ? [`${folder}/ has ${count} files, more than ${MAX_FILES}`] : [],
  );
}

export function mcpWordFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const word = file.path.startsWith('jsonrpc/') ? MCP_WORD.exec(file.text)?.[0] : undefined;
    return word === undefined ? [] : [`${file.path} says "${word}"`];
  });
}

/** Cycles of imports that exist at run time, each once, as `a → b → a`. */
export function cycleFaults(files: readonly ReadFile[]): string[] {
  const edges = new Map(
    files.map((file) => [
      file.path,
      file.imports.flatMap(({ specifier, typeOnly }) => (typeOnly ? [] : (target(file, specifier) ?? []))),
    ]),
  );
  const done = new Set<string>();
  const faults: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) faults.push([...trail.slice(start), path].join(' → '));
    if (start !== -1 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return faults;
}

/** Paths in backticks that name a file or a folder of the repository; `exists` is asked for each in turn under every base. */
export function documentFaults(text: string, folders: readonly string[], exists: (path: string) => boolean): string[] {
  const bases = [
    '',
    'packages/crosspoint/',
    'packages/crosspoint/src/',
    'packages/crosspoint/test/',
    'packages/',
    'packages/host/src/',
    'packages/gateway/src/',
    'packages/recording/src/',
    'packages/json-schema/src/',
    'packages/apps/src/',
    'packages/skills/src/',
    'packages/authorization-server/src/',
    'packages/openapi/src/',
  ];
  const named = [...text.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name ?? '');
  const paths = named.filter((name) =>
    /^[\w.-]+(?:\/[\w.-]+)*(?:\/|\/[\w.-]+\.(?:ts|mjs|json|md|txt|yaml))$/.test(name),
  );
  return [
    ...folders
      .filter((folder) => !new RegExp(`\\b${folder}/`).test(text))
      .map((folder) => `src/${folder}/ is not named`),
    ...paths
      .filter((path) => !bases.some((base) => exists(base + path)))
      .map((path) => `${path} is named and does not exist`),
  ];
}
