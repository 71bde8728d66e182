import type { HttpReach, Reach, ServerEntry } from '@crosspoint/host/config';
import type { SecretToKeep } from '../../configuration/kept-secrets.ts';
import { checkServerName, readServers } from '../../configuration/servers-file.ts';
import { references, typedEntry, type TypedPlace } from '../../configuration/typed-entry.ts';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { TargetWords } from '../../grammar/command.ts';
import type { TargetValues } from '../../grammar/parse.ts';
import { resolve } from 'node:path';
import { placeOf, written, type WrittenServer } from './adding.ts';
import { editOwn, forgetServer, keepSecrets } from './keep.ts';

export interface EditOptions {
  readonly rename: string | undefined;
  readonly 'unset-env': readonly string[];
  readonly 'unset-header': readonly string[];
  readonly 'call-timeout': number | undefined;
  readonly enable: boolean;
  readonly disable: boolean;
  readonly trusted: boolean;
  readonly untrusted: boolean;
  readonly references: boolean;
}

/** A change of an entry, which is applied to the entry as it is in the file at that moment. */
interface Change {
  readonly apply: (entry: ServerEntry) => ServerEntry;
  readonly secrets: readonly SecretToKeep[];
}

/** Changes a server of the user's configuration. */
export async function editServer(
  name: string,
  target: TargetWords | undefined,
  options: EditOptions,
  context: CommandContext,
): Promise<WrittenServer> {
  const { home, reaching } = context;
  const before = (await readServers(home)).entry(name, home.configFile);
  const place = placeOf(context, options.references);
  const change =
    target === undefined
      ? reachChange(before, reaching, options, place)
      : await newReach(before, target, reaching, place);
  const rename = options.rename ?? name;
  if (rename !== name) checkServerName(rename);
  if (target === undefined) refuseNothing(options, reaching);
  await keepSecrets(change.secrets, context);
  const { value: entry } = await editOwn(context, (servers) => {
    if (rename !== name && servers.has(rename))
      throw new CliError('usage', `There is already a server ${JSON.stringify(rename)} in ${home.configFile}.`);
    const edited = withMembers(change.apply(servers.entry(name, home.configFile)), options, reaching, place);
    if (rename !== name) servers.rename(name, rename);
    servers.set({ ...edited, name: rename });
    return { ...edited, name: rename };
  });
  await forgetServer(rename, context, false);
  if (rename !== name) await forgetServer(name, context, true);
  return written(
    entry,
    home.configFile,
    change.secrets.map((secret) => secret.name),
  );
}

async function newReach(
  before: ServerEntry,
  target: TargetWords,
  reaching: TargetValues,
  place: TypedPlace,
): Promise<Change> {
  const { entry, secrets } = await typedEntry(before.name, target, reaching, place);
  const { reach, other } = entry;
  return {
    secrets,
    apply: ({ other: old, ...kept }) => {
      const { extra: _bundle, ...members } = (old ?? {}) as Record<string, NonNullable<ServerEntry['other']>[string]>;
      const all = { ...members, ...other };
      return { ...kept, reach, ...(Object.keys(all).length > 0 && { other: all }) };
    },
  };
}

function reachChange(before: ServerEntry, reaching: TargetValues, options: EditOptions, place: TypedPlace): Change {
  const isCommand = before.reach.type === 'stdio';
  const wrong = isCommand
    ? [...reaching.header, ...options['unset-header']]
    : [...reaching.env, ...options['unset-env'], ...(reaching.cwd === undefined ? [] : [reaching.cwd])];
  if (wrong.length > 0)
    throw new CliError(
      'usage',
      isCommand
        ? `${JSON.stringify(before.name)} is a command: --header is for a server at an address.`
        : `${JSON.stringify(before.name)} is at an address: --env and --cwd are for a command.`,
    );
  const member = isCommand ? 'env' : 'headers';
  const { texts, secrets } = references(before.name, member, isCommand ? reaching.env : reaching.header, place);
  const unset = isCommand ? options['unset-env'] : options['unset-header'];
  return {
    secrets,
    apply: (entry) => ({ ...entry, reach: withTexts(entry, member, texts, { unset, cwd: reaching.cwd, place }) }),
  };
}

interface Further {
  readonly unset: readonly string[];
  readonly cwd: string | undefined;
  readonly place: TypedPlace;
}

function withTexts(
  { name, reach }: ServerEntry,
  member: 'env' | 'headers',
  texts: Readonly<Record<string, string>>,
  { unset, cwd, place }: Further,
): Reach {
  const before: Readonly<Record<string, string | null>> =
    ((member === 'env' ? (reach as { env?: object }).env : (reach as HttpReach).headers) as Record<string, string>) ??
    {};
  const isSame = (one: string, other: string): boolean =>
    member === 'env' ? one === other : one.toLowerCase() === other.toLowerCase();
  const missing = unset.find((word) => !Object.keys(before).some((key) => isSame(key, word)));
  if (missing !== undefined)
    throw new CliError(
      'usage',
      `${JSON.stringify(name)} has no ${member === 'env' ? 'variable' : 'header'} ${JSON.stringify(missing)}.`,
    );
  const left = Object.entries(before).filter(
    ([key]) => ![...unset, ...Object.keys(texts)].some((word) => isSame(key, word)),
  );
  const all = Object.fromEntries([...left, ...Object.entries(texts)]);
  const { [member]: _old, ...rest } = reach as unknown as Record<string, unknown>;
  return {
    ...rest,
    ...(Object.keys(all).length > 0 && { [member]: all }),
    ...(cwd !== undefined && { cwd: resolve(place.cwd, cwd).replaceAll('${', () => '$${') }),
  } as unknown as Reach;
}

function withMembers(entry: ServerEntry, options: EditOptions, { root }: TargetValues, place: TypedPlace): ServerEntry {
  const { isDisabled: _disabled, isTrusted: _trusted, ...rest } = entry;
  const isDisabled = options.disable || (!options.enable && entry.isDisabled === true);
  const isTrusted = options.trusted || (!options.untrusted && entry.isTrusted === true);
  return {
    ...rest,
    ...(isDisabled && { isDisabled }),
    ...(isTrusted && { isTrusted }),
    ...(options['call-timeout'] !== undefined && { timeoutMs: Math.round(options['call-timeout'] * 1000) }),
    ...(root.length > 0 && { roots: root.map((folder) => resolve(place.cwd, folder).replaceAll('${', () => '$${')) }),
  };
}

/** An edit that names nothing is a mistake of the user, who would take the file for changed. */
function refuseNothing(options: EditOptions, { env, header, root, cwd }: TargetValues): void {
  const { references: _references, ...own } = options;
  const given = [...Object.values(own), cwd, ...[env, header, root].map(({ length }) => length > 0)];
  if (given.every((value) => value === undefined || value === false || (Array.isArray(value) && value.length === 0)))
    throw new CliError('usage', 'Nothing was named that is to be changed.', {
      hint: 'crosspoint servers edit --help lists the options; the file itself may be edited, too.',
    });
}
