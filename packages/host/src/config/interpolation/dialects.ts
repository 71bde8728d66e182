import type { ConfigFormat } from '../server-entry.ts';

/** Folders that a reference can name. */
export type FolderName =
  | 'userHome'
  | 'workspaceFolder'
  | 'workspaceFolderBasename'
  | 'bundle'
  | 'desktop'
  | 'documents'
  | 'downloads';

/** The meaning of a `${…}`, whatever its spelling. `refused`: it would run a command, or only an editor knows its value. */
export type Reference =
  | { readonly kind: 'env'; readonly name: string; readonly default?: string }
  | { readonly kind: 'folder'; readonly name: FolderName }
  | { readonly kind: 'separator'; readonly name: string }
  | { readonly kind: 'input'; readonly name: string }
  | { readonly kind: 'secret'; readonly name: string }
  | { readonly kind: 'refused'; readonly name: string; readonly why: string };

/** How one format spells its references. */
export interface Dialect {
  /** The format's name for people. */
  readonly title: string;
  /** The meaning of the text between `${` and `}`; `undefined` when it has none here. */
  read(body: string): Reference | undefined;
  /** The spelling of a reference with its `${` and `}`; `undefined` when there is none. */
  write(reference: Reference): string | undefined;
  /** The spelling of a `${` that stands for itself; absent where there is none. */
  readonly escape?: string;
}

const VARIABLE = /^([A-Za-z_]\w*)(?::-([\s\S]*))?$/;
const PREFIXED_ENV = /^env:([^\s:]+)$/;
const PREFIXED_ENV_WITH_DEFAULT = /^env:([^\s:]+?)(?::-([\s\S]*))?$/;
const INPUT = /^input:([^\s:]+)$/;
const SECRET = /^secret:([^\s:]+)$/;
const USER_CONFIG = /^user_config\.([\w.-]+)$/;
const COMMAND = /^(?:cmd|command):/;
const EDITOR =
  /^(?:config:.*|workspaceFolder:.*|file\w*|relativeFile\w*|lineNumber|columnNumber|selectedText|execPath|cwd|default\w+Task|extensionInstallFolder.*)$/;

/** Both spellings of the separator of paths. */
const separator = (name: string): Reference => ({ kind: 'separator', name });
const folder = (name: FolderName): Reference => ({ kind: 'folder', name });

const PLACES: ReadonlyMap<string, Reference> = new Map([
  ['userHome', folder('userHome')],
  ['workspaceFolder', folder('workspaceFolder')],
  ['workspaceFolderBasename', folder('workspaceFolderBasename')],
  ['pathSeparator', separator('pathSeparator')],
  ['/', separator('/')],
]);

const BUNDLE_PLACES: ReadonlyMap<string, Reference> = new Map([
  ['__dirname', folder('bundle')],
  ['HOME', folder('userHome')],
  ['DESKTOP', folder('desktop')],
  ['DOCUMENTS', folder('documents')],
  ['DOWNLOADS', folder('downloads')],
  ['pathSeparator', separator('pathSeparator')],
  ['/', separator('/')],
]);

function placeWord(words: ReadonlyMap<string, Reference>, wanted: Reference): string | undefined {
  const found = [...words].find(([, { kind, name }]) => kind === wanted.kind && name === wanted.name)?.[0];
  return found === undefined ? undefined : `\${${found}}`;
}

function prefixed(pattern: RegExp, kind: 'input' | 'secret', body: string): Reference | undefined {
  const name = pattern.exec(body)?.[1];
  return name === undefined ? undefined : { kind, name };
}

function variable(pattern: RegExp, body: string): Reference | undefined {
  const [, name, otherwise] = pattern.exec(body) ?? [];
  if (name === undefined) return undefined;
  return { kind: 'env', name, ...(otherwise !== undefined && { default: otherwise }) };
}

function refused(body: string): Reference | undefined {
  if (COMMAND.test(body))
    return { kind: 'refused', name: body, why: 'would run a command, which a configuration never does here' };
  if (EDITOR.test(body)) return { kind: 'refused', name: body, why: 'has a value in an editor alone' };
  return undefined;
}

const claudeDesktop: Dialect = { title: 'Claude Desktop', read: () => undefined, write: () => undefined };

const claudeCode: Dialect = {
  title: 'Claude Code',
  read: (body) => variable(VARIABLE, body),
  write: (reference) => {
    if (reference.kind !== 'env' || !VARIABLE.test(reference.name)) return undefined;
    return `\${${reference.name}${reference.default === undefined ? '' : `:-${reference.default}`}}`;
  },
};

const cursor: Dialect = {
  title: 'Cursor',
  read: (body) => PLACES.get(body) ?? variable(PREFIXED_ENV, body),
  write: (reference) => {
    if (reference.kind !== 'env') return placeWord(PLACES, reference);
    return reference.default === undefined ? `\${env:${reference.name}}` : undefined;
  },
};

const vscode: Dialect = {
  title: 'VS Code',
  read: (body) => cursor.read(body) ?? prefixed(INPUT, 'input', body),
  write: (reference) => (reference.kind === 'input' ? `\${input:${reference.name}}` : cursor.write(reference)),
};

const bundle: Dialect = {
  title: 'bundles',
  read: (body) => {
    const key = USER_CONFIG.exec(body)?.[1];
    return key === undefined ? BUNDLE_PLACES.get(body) : { kind: 'input', name: key };
  },
  write: (reference) =>
    reference.kind === 'input' ? `\${user_config.${reference.name}}` : placeWord(BUNDLE_PLACES, reference),
};

const crosspoint: Dialect = {
  title: 'Crosspoint',
  escape: '$${',
  read: (body) =>
    PLACES.get(body) ??
    variable(PREFIXED_ENV_WITH_DEFAULT, body) ??
    prefixed(INPUT, 'input', body) ??
    prefixed(SECRET, 'secret', body),
  write: (reference) => {
    if (reference.kind === 'input' || reference.kind === 'secret') return `\${${reference.kind}:${reference.name}}`;
    if (reference.kind !== 'env') return placeWord(PLACES, reference);
    return `\${env:${reference.name}${reference.default === undefined ? '' : `:-${reference.default}`}}`;
  },
};

/** The dialect of each format. Entries of the program and of the registry use that of Crosspoint. */
export const DIALECTS: Readonly<Record<ConfigFormat, Dialect>> = {
  'claude-desktop': claudeDesktop,
  'claude-code': claudeCode,
  vscode,
  cursor,
  mcpb: bundle,
  crosspoint,
  registry: crosspoint,
  program: crosspoint,
};

const NAMED = [claudeCode, vscode, cursor, bundle, crosspoint];

/** The reference that `body` is in a dialect; otherwise the sentence that says why it is none. */
export function readReference(body: string, dialect: Dialect): Reference | string {
  const reference = refused(body) ?? dialect.read(body);
  if (reference !== undefined) return reference;
  const others = NAMED.filter((other) => other !== dialect && other.read(body) !== undefined);
  const meant = others[0]?.read(body);
  if (meant === undefined) return 'is a reference of no format that is known here';
  const spelled = dialect.write(meant.kind === 'env' ? { kind: 'env', name: meant.name } : meant);
  const owners = others.map(({ title }) => title).join(', ');
  const remedy = spelled === undefined ? 'it has no word for it' : `there it is written ${spelled}`;
  return `is a reference of ${owners}, not of ${dialect.title}: ${remedy}`;
}
