import { basename, extname, isAbsolute, resolve } from 'node:path';
import { isSecretName, readHeaders, readVariables, SourceReader } from '@crosspoint/gateway/program';
import { readConfiguration, type InputDefinition, type ServerEntry } from '@crosspoint/host/config';
import { CliError } from '../errors/cli-error.ts';
import type { TargetWords } from '../grammar/command.ts';
import type { TargetValues } from '../grammar/parse.ts';
import type { Home } from '../place/home.ts';
import { readFolders } from '../place/read-folders.ts';
import { openBundle } from './open-bundle.ts';
import { readUserConfiguration } from './user-configuration.ts';

/** A server that was named, as the host takes it. */
export interface FoundTarget {
  readonly entry: ServerEntry;
  readonly inputs: readonly InputDefinition[];
  /** Secrets that the command line named, for those who mask them. */
  readonly secrets?: readonly string[];
  /** Folders of `--root`, whole paths. */
  readonly typedRoots?: readonly string[];
}

export interface TargetPlace {
  readonly home: Home;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Told of something that is worth knowing, such as a file with a secret that everybody can read. */
  warn(message: string): void;
}

const ADDRESS = /^https?:\/\//i;
const OTHER_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
/** The end of the file in `FILE.json#NAME`, and what parts it from the name. */
const FILE_END = '.json#';

/**
 * The server that the words mean: `-- COMMAND ARGS`, an address, `FILE.json#NAME`, `FILE.mcpb`, or a configured name. Nothing is guessed:
 * words that fit none of these are an error. Nothing is started.
 */
export async function findTarget(target: TargetWords, given: TargetValues, place: TargetPlace): Promise<FoundTarget> {
  const found = await reachOf(target, given, place);
  const { revision, family, root } = given;
  const revisions = revision !== undefined ? [revision] : familyOf(family);
  if (revision !== undefined && family !== undefined && family !== 'auto')
    throw new CliError('usage', '--revision and --family say the same thing twice. Give one of them.');
  const typedRoots = await readFolders('--root', root, place.cwd);
  const entry = {
    ...found.entry,
    ...(revisions !== undefined && { revisions }),
    ...(typedRoots.length > 0 && { roots: typedRoots }),
  };
  return { ...found, entry, typedRoots };
}

function familyOf(word: string | undefined): 'handshake' | 'per-request' | undefined {
  return word === 'handshake' || word === 'per-request' ? word : undefined;
}

function reachOf(target: TargetWords, given: TargetValues, place: TargetPlace): Promise<FoundTarget> | FoundTarget {
  if (target.kind === 'command') return commandTarget(target, given, place);
  const { word } = target;
  if (ADDRESS.test(word)) return addressTarget(word, given, place);
  refuseReaching(given, ['header', 'env', 'cwd'], 'is for a server that is typed: an address, or a command after "--"');
  if (OTHER_SCHEME.test(word))
    throw new CliError(
      'usage',
      `${JSON.stringify(word)} is no address of HTTP: it must begin with http:// or https://.`,
    );
  const end = word.lastIndexOf(FILE_END);
  const [file, name] = [word.slice(0, end + FILE_END.length - 1), word.slice(end + FILE_END.length)];
  if (end > 0 && name !== '') return inFile(resolve(place.cwd, file), name);
  if (word.endsWith('.mcpb')) return inBundle(resolve(place.cwd, word), place.home);
  return configured(word, place);
}

function commandTarget(
  target: TargetWords & { kind: 'command' },
  given: TargetValues,
  place: TargetPlace,
): FoundTarget {
  refuseReaching(given, ['header'], 'is for a server at an address');
  const { command, args } = target;
  const sources = new SourceReader(place.env, (message) => place.warn(message));
  const env = sources.readAll('--env', readVariables(given.env));
  const entry: ServerEntry = {
    name: basename(command, extname(command)) || 'server',
    reach: {
      type: 'stdio',
      command,
      args: [...args],
      env,
      cwd: resolve(place.cwd, given.cwd ?? '.'),
    },
    origin: { format: 'program', scope: 'program' },
  };
  return { entry, inputs: [], secrets: [...sources.secrets] };
}

function addressTarget(word: string, given: TargetValues, place: TargetPlace): FoundTarget {
  refuseReaching(given, ['env', 'cwd'], 'is for a command after "--"');
  if (!URL.canParse(word)) throw new CliError('usage', 'The address cannot be read.');
  const url = new URL(word);
  if (url.username !== '' || url.password !== '')
    throw new CliError('usage', 'The address holds a name or a password, which every user of this machine can read.', {
      hint: 'Use --header Authorization=@FILE or --header Authorization=env:VARIABLE.',
    });
  const secret = [...url.searchParams.keys()].find(isSecretName);
  if (secret !== undefined)
    throw new CliError(
      'usage',
      `The address holds ${JSON.stringify(secret)}, which is probably a secret that every user of this machine can read.`,
      { hint: 'Put the address into a configuration: crosspoint servers add, or FILE.json#NAME.' },
    );
  const sources = new SourceReader(place.env, (message) => place.warn(message));
  const headers = sources.readAll('--header', readHeaders(given.header));
  const entry: ServerEntry = {
    name: url.hostname.replaceAll(/[^\w-]/g, '-') || 'server',
    reach: { type: 'http', url: url.href, ...(Object.keys(headers).length > 0 && { headers }) },
    origin: { format: 'program', scope: 'program' },
  };
  return { entry, inputs: [], secrets: [...sources.secrets] };
}

async function inFile(file: string, name: string): Promise<FoundTarget> {
  const { entries, inputs, files, problems } = await readConfiguration({
    formats: [],
    files: [{ file, scope: 'user' }],
  });
  if (files.length === 0)
    throw new CliError('usage', problems[0]?.message ?? `There is no file ${file}.`, {
      hint: 'SERVER may be FILE.json#NAME.',
    });
  return named(entries, inputs, name, `in ${file}`);
}

async function configured(name: string, place: TargetPlace): Promise<FoundTarget> {
  const { entries, inputs } = await readUserConfiguration(place);
  const found = named(entries, inputs, name, 'configured or kept');
  const bundle = configuredBundle(found.entry);
  return bundle === undefined ? found : { ...found, entry: await bundleOf(found.entry, bundle, place.home) };
}

async function inBundle(file: string, home: Home): Promise<FoundTarget> {
  const { entry } = await openBundle(file, home);
  return { entry, inputs: [] };
}

interface ConfiguredBundle {
  readonly file: string;
  readonly digest: string;
}

/** The bundle that an entry of the user stands for. The file of a repository cannot name one. */
function configuredBundle({ origin, other }: ServerEntry): ConfiguredBundle | undefined {
  const { mcpb } = (other?.['extra'] ?? {}) as { readonly mcpb?: Partial<ConfiguredBundle> };
  if (origin.scope === 'project' || typeof mcpb?.file !== 'string' || typeof mcpb.digest !== 'string') return undefined;
  return { file: mcpb.file, digest: mcpb.digest };
}

async function bundleOf(entry: ServerEntry, bundle: ConfiguredBundle, home: Home): Promise<ServerEntry> {
  const { entry: opened } = await openBundle(bundle.file, home);
  if (opened.other?.['digest'] !== bundle.digest)
    throw new CliError('denied', `The bundle ${bundle.file} is not the one that was added as "${entry.name}".`, {
      hint: `crosspoint servers add ${entry.name} FILE.mcpb --replace takes another one.`,
    });
  const { name, isDisabled, timeoutMs, roots, isTrusted } = entry;
  const members = Object.entries({ name, isDisabled, timeoutMs, roots, isTrusted });
  return { ...opened, ...Object.fromEntries(members.filter(([, value]) => value !== undefined)) };
}

function named(
  entries: readonly ServerEntry[],
  inputs: readonly InputDefinition[],
  name: string,
  where: string,
): FoundTarget {
  const entry = entries.find((one) => one.name === name);
  if (entry !== undefined) return { entry, inputs };
  const isPath = isAbsolute(name) || /[\\/]|\.[cm]?[jt]s$|\.py$/.test(name);
  throw new CliError('usage', `There is no server ${JSON.stringify(name)} ${where}.`, {
    hint: isPath
      ? `To run a program, write its command after "--": -- node ${name}`
      : 'crosspoint servers ls lists those that are configured, crosspoint ls those that are kept. A command goes after "--".',
    mistyped: { word: name, among: entries.map((one) => one.name) },
  });
}

function refuseReaching(given: TargetValues, names: readonly ('header' | 'env' | 'cwd')[], why: string): void {
  for (const name of names) {
    const value = given[name];
    if (value !== undefined && value.length > 0) throw new CliError('usage', `--${name} ${why}.`);
  }
}
