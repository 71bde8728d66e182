import { copyFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readHeaders, readVariables, SourceReader } from '@crosspoint/gateway/program';
import type { HttpReach, Reach, ServerEntry, StdioReach } from '@crosspoint/host/config';
import { CliError } from '../errors/cli-error.ts';
import type { TargetWords } from '../grammar/command.ts';
import type { TargetValues } from '../grammar/parse.ts';
import type { Home } from '../place/home.ts';
import { openBundle } from '../target/open-bundle.ts';
import { secretName, withKeptSecrets, type SecretToKeep } from './kept-secrets.ts';

export interface TypedPlace {
  readonly home: Home;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly warn: (message: string) => void;
  /** Whether `${…}` in words are references; otherwise they stand for themselves. */
  readonly hasReferences: boolean;
}

/** A server as it is to be configured, and the secrets to keep for it. */
export interface TypedEntry {
  readonly entry: ServerEntry;
  readonly secrets: readonly SecretToKeep[];
}

/** The entry that the words describe: a command after `--`, an address, or a bundle. No secret is in it. */
export async function typedEntry(
  name: string,
  target: TargetWords,
  given: TargetValues,
  place: TypedPlace,
): Promise<TypedEntry> {
  if (target.kind === 'word' && target.word.endsWith('.mcpb')) return bundleEntry(name, target.word, given, place);
  const { reach, secrets } = typedReach(name, target, given, place);
  const entry: ServerEntry = {
    name,
    reach,
    origin: { format: 'crosspoint', scope: 'user' },
    ...(given.root.length > 0 && { roots: given.root.map((folder) => literal(resolve(place.cwd, folder), place)) }),
  };
  const kept = withKeptSecrets(entry);
  return { entry: kept.entry, secrets: [...secrets, ...kept.secrets] };
}

interface TypedReach {
  readonly reach: Reach;
  readonly secrets: readonly SecretToKeep[];
}

function typedReach(name: string, target: TargetWords, given: TargetValues, place: TypedPlace): TypedReach {
  if (target.kind === 'command') {
    if (given.header.length > 0) throw new CliError('usage', '--header is for a server at an address.');
    const { texts, secrets } = references(name, 'env', given.env, place);
    const { command, args } = target;
    const reach: StdioReach = {
      type: 'stdio',
      command: literal(command, place),
      ...(args.length > 0 && { args: args.map((arg) => literal(arg, place)) }),
      ...(Object.keys(texts).length > 0 && { env: texts }),
      ...(given.cwd !== undefined && { cwd: literal(resolve(place.cwd, given.cwd), place) }),
    };
    return { reach, secrets };
  }
  const { word } = target;
  if (!/^https?:\/\//i.test(word) || !URL.canParse(word))
    throw new CliError('usage', `${JSON.stringify(word)} is neither an address (https://…) nor a bundle (FILE.mcpb).`, {
      hint: `A command is written after "--": crosspoint servers add ${name} -- COMMAND ARGS`,
    });
  if (given.env.length > 0 || given.cwd !== undefined)
    throw new CliError('usage', '--env and --cwd are for a command after "--".');
  const { texts, secrets } = references(name, 'headers', given.header, place);
  const reach: HttpReach = {
    type: 'http',
    url: literal(word, place),
    ...(Object.keys(texts).length > 0 && { headers: texts }),
  };
  return { reach, secrets };
}

/**
 * Variables or headers as they are configured: `env:VARIABLE` as a reference, the content of `@FILE` as a secret that is kept, and everything else as it
 * was typed. Names of secrets with a value are refused before.
 */
export function references(
  server: string,
  member: 'env' | 'headers',
  words: readonly string[],
  place: TypedPlace,
): { readonly texts: Record<string, string>; readonly secrets: readonly SecretToKeep[] } {
  const option = member === 'env' ? '--env' : '--header';
  const reader = new SourceReader(place.env, place.warn);
  const secrets: SecretToKeep[] = [];
  const sources = member === 'env' ? readVariables(words) : readHeaders(words);
  const texts = Object.entries(sources).map(([name, source]) => {
    if (source.from === 'environment') return [name, `\${env:${source.name}}`];
    if (source.from === 'arguments') return [name, literal(source.value, place)];
    const kept = secretName(server, [member, name]);
    const path = resolve(place.cwd, source.path);
    secrets.push({ name: kept, value: reader.read(`${option} ${name}`, { from: 'file', path }) });
    return [name, `\${secret:${kept}}`];
  });
  return { texts: Object.fromEntries(texts) as Record<string, string>, secrets };
}

/** A text that means itself, unless references were asked for. */
function literal(text: string, { hasReferences }: Pick<TypedPlace, 'hasReferences'>): string {
  return hasReferences ? text : text.replaceAll('${', () => '$${');
}

async function bundleEntry(name: string, word: string, given: TargetValues, place: TypedPlace): Promise<TypedEntry> {
  if (given.env.length + given.header.length > 0 || given.cwd !== undefined)
    throw new CliError('usage', '--env, --header and --cwd are not for a bundle: it says itself how it is started.');
  const file = resolve(place.cwd, word);
  const { entry: opened, unpacked } = await openBundle(file, place.home);
  // The file may be removed from where it was: a copy stays with the unpacked files.
  const copy = `${unpacked.folder}.mcpb`;
  await copyFile(file, copy);
  const entry: ServerEntry = {
    name,
    reach: shownReach(opened.reach as StdioReach, unpacked.folder),
    origin: { format: 'crosspoint', scope: 'user' },
    ...(given.root.length > 0 && { roots: given.root.map((root) => resolve(place.cwd, root)) }),
    other: { extra: { mcpb: { file: copy, digest: unpacked.digest } } },
  };
  return { entry, secrets: [] };
}

/** The command of a bundle for people who read the file: the bundle itself says how it is started. */
function shownReach({ command, args = [] }: StdioReach, folder: string): StdioReach {
  const shown = (text: string): string => text.replaceAll('${__dirname}', () => folder).replaceAll('${', () => '$${');
  return { type: 'stdio', command: shown(command), args: args.map(shown) };
}
