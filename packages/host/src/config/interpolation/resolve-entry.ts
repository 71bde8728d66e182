import { posix, win32 } from 'node:path';
import { readBoundedFile } from '../bounded-file.ts';
import { UntrustedConfigError, ConfigResolveError } from '../errors.ts';
import { hideSecrets, literalSecrets, type PlacedText } from '../hidden-values.ts';
import type { Reach, ServerEntry, StdioReach } from '../server-entry.ts';
import { textsOf, withTexts, type ReachText } from '../texts.ts';
import type { TrustReader } from '../trust/trust-reader.ts';
import { parseEnvFile } from './env-file.ts';
import { Resolver, type ResolvedText } from './resolver.ts';
import type { ResolvedEntry, ResolveOptions, ValueSources } from './sources.ts';

const MAX_ENV_FILE_BYTES = 1024 * 1024;
const CONTROL = /[\0\r\n]/;
const BAD_NAME = /[=\0]|^$/;

/**
 * Gives an entry its final values. An entry of a repository's file is refused with `UntrustedConfigError` unless the user trusts that content of the
 * file: nothing is expanded before. A reference without a value throws `ConfigResolveError`, which lists all of them. Nothing is started.
 *
 * ```ts
 * const { reach, shown, secrets } = await resolveEntry(entry, { env: process.env, folders: { userHome: homedir() }, trust });
 * ```
 */
export async function resolveEntry(
  entry: ServerEntry,
  sources: ValueSources,
  options: ResolveOptions = {},
): Promise<ResolvedEntry> {
  await refuseUntrusted(entry, sources.trust);
  const resolver = new Resolver(entry, sources, options);
  const values = new Map<string, ResolvedText>();
  for (const text of placedTexts(entry.reach)) values.set(keyOf(text), await resolver.resolve(text));
  const roots: string[] = [];
  for (const [at, text] of (entry.roots ?? []).entries())
    roots.push(String((await resolver.resolve({ path: ['roots', at], text })).value));
  const reach = withTexts(entry.reach, (text) => values.get(keyOf(text))?.value);
  const shown = hiddenReach(withTexts(entry.reach, (text) => values.get(keyOf(text))?.shown));
  for (const text of placedTexts(entry.reach)) for (const value of literalSecrets(text)) resolver.secrets.add(value);
  checkReach(reach, resolver);
  const withFile = resolver.hasErrors
    ? { reach, shown }
    : await withEnvFile(entry, { reach, shown }, resolver, sources);
  if (resolver.hasErrors)
    throw new ConfigResolveError(
      entry.name,
      resolver.problems.filter(({ severity }) => severity === 'error'),
    );
  const { used, secrets, problems } = resolver;
  return { entry, ...withFile, roots, used, secrets: [...secrets], problems };
}

async function refuseUntrusted(entry: ServerEntry, trust: TrustReader | undefined): Promise<void> {
  const { scope, file = 'the configuration' } = entry.origin;
  if (scope !== 'project') return;
  const state = trust === undefined ? 'unknown' : await trust.stateOf(entry.origin);
  if (state === 'trusted') return;
  const changes = state === 'changed' && trust !== undefined ? await trust.changesOf(file, [entry]) : [];
  throw new UntrustedConfigError(
    entry.name,
    file,
    state,
    changes.filter(({ server }) => server === entry.name),
  );
}

const keyOf = ({ path }: ReachText): string => path.join('\0');

/** The texts of a reach, each argument with the one before it. */
export function placedTexts(reach: Reach): PlacedText[] {
  const args = reach.type === 'stdio' ? (reach.args ?? []) : [];
  return textsOf(reach).map((text) => {
    const previous = text.path[0] === 'args' ? args[Number(text.path[1]) - 1] : undefined;
    return { ...text, ...(previous !== undefined && { previous }) };
  });
}

/** A reach as people may see it. */
export function hiddenReach(reach: Reach): Reach {
  const shown = new Map(placedTexts(reach).map((text) => [keyOf(text), hideSecrets(text)]));
  return withTexts(reach, (text) => shown.get(keyOf(text)) ?? text.text);
}

/** Refuses values that a process or a request cannot take, or that would mean something else there. */
function checkReach(reach: Reach, resolver: Resolver): void {
  for (const { path, text } of textsOf(reach)) {
    const [first, name = ''] = path;
    if (first === 'headers' ? CONTROL.test(text) : text.includes('\0'))
      resolver.note('type', path, 'holds a line end or a null character.');
    if (first === 'env' && BAD_NAME.test(String(name)))
      resolver.note('type', path, 'has a name that no variable can have.');
  }
  if (reach.type === 'stdio' && reach.command.trim() === '') resolver.note('missing', ['command'], 'is empty.');
  if (reach.type !== 'stdio' && reach.type !== 'transport' && !isWebAddress(reach.url))
    resolver.note('unsupported', ['url'], 'is no address that begins with http:// or https://.');
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

type Both = Pick<ResolvedEntry, 'reach' | 'shown'>;

/** Reads the file of variables into `env`, whose own variables win. */
async function withEnvFile(entry: ServerEntry, both: Both, resolver: Resolver, sources: ValueSources): Promise<Both> {
  const { reach, shown } = both;
  if (reach.type !== 'stdio' || shown.type !== 'stdio' || reach.envFile === undefined) return both;
  const path = absolutePath(reach.envFile, entry, sources);
  if (path === undefined) {
    resolver.note('type', ['envFile'], 'must be an absolute path, or the host must know the folder it is in.');
    return both;
  }
  const variables = await readVariables(path, resolver, sources);
  const pointer = entry.origin.pointer ?? '';
  for (const [name, value] of variables) {
    if (reach.env !== undefined && Object.hasOwn(reach.env, name)) continue;
    if (value !== '') resolver.secrets.add(value);
    resolver.used.push({ pointer: `${pointer}/envFile`, kind: 'env-file', name, from: path, isSecret: true });
  }
  const names = new Map([...variables.keys()].map((name) => [name, '${envFile}']));
  return { reach: joinedEnv(reach, variables), shown: joinedEnv(shown, names) };
}

function joinedEnv({ envFile: _file, ...reach }: StdioReach, variables: ReadonlyMap<string, string>): StdioReach {
  return { ...reach, env: { ...Object.fromEntries(variables), ...reach.env } };
}

function absolutePath(path: string, { origin }: ServerEntry, sources: ValueSources): string | undefined {
  const paths = (sources.platform ?? process.platform) === 'win32' ? win32 : posix;
  if (paths.isAbsolute(path)) return path;
  const base = sources.folders?.workspaceFolder ?? (origin.file === undefined ? undefined : paths.dirname(origin.file));
  return base === undefined ? undefined : paths.join(base, path);
}

async function readVariables(
  path: string,
  resolver: Resolver,
  sources: ValueSources,
): Promise<ReadonlyMap<string, string>> {
  try {
    const { variables, badLines } = parseEnvFile(
      await (sources.readFile?.(path) ?? readBoundedFile(path, MAX_ENV_FILE_BYTES)),
    );
    if (badLines.length > 0)
      resolver.note(
        'syntax',
        ['envFile'],
        `${path} has lines that are no NAME=value: ${badLines.slice(0, 10).join(', ')}.`,
      );
    return variables;
  } catch (error) {
    resolver.note(
      'unreadable',
      ['envFile'],
      `${path} cannot be read: ${error instanceof Error ? error.message : 'unknown'}.`,
    );
    return new Map();
  }
}
