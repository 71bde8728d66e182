import { describeTarget, type ServerEntry } from '@crosspoint/host/config';
import { checkServerName, readServers, type ServersText } from '../../configuration/servers-file.ts';
import { typedEntry, type TypedEntry, type TypedPlace } from '../../configuration/typed-entry.ts';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { TargetWords } from '../../grammar/command.ts';
import { editOwn, forgetServer, keepSecrets } from './keep.ts';

/** A server that was written to the user's configuration. */
export interface WrittenServer {
  readonly name: string;
  readonly target: string;
  readonly warnings: readonly string[];
  readonly file: string;
  /** Names of the secrets that are kept for it. */
  readonly secrets: readonly string[];
}

export interface AddOptions {
  readonly replace: boolean;
  readonly disabled: boolean;
  readonly trusted: boolean;
  readonly references: boolean;
}

export function placeOf({ home, io, output }: CommandContext, hasReferences: boolean): TypedPlace {
  return { home, cwd: io.cwd, env: io.env, warn: (message) => output.note(message), hasReferences };
}

/** Writes a server to the user's configuration. Rejects where there is one of that name, unless it is to be replaced. */
export async function addServer(
  name: string,
  target: TargetWords,
  options: AddOptions,
  context: CommandContext,
): Promise<WrittenServer> {
  checkServerName(name);
  refuseTaken(await readServers(context.home), name, options, context.home.configFile);
  const typed = await typedEntry(name, target, context.reaching, placeOf(context, options.references));
  const entry = {
    ...typed.entry,
    ...(options.disabled && { isDisabled: true }),
    ...(options.trusted && { isTrusted: true }),
  };
  return writeServer({ ...typed, entry }, context, (servers) =>
    refuseTaken(servers, name, options, context.home.configFile),
  );
}

/** Keeps the secrets, writes the entry, and forgets what was allowed to the one before. */
export async function writeServer(
  { entry, secrets }: TypedEntry,
  context: CommandContext,
  check: (servers: ServersText) => void = () => {},
): Promise<WrittenServer> {
  const { home } = context;
  await keepSecrets(secrets, context);
  await editOwn(context, (servers) => {
    check(servers);
    servers.set(entry);
  });
  await forgetServer(entry.name, context, false);
  return written(
    entry,
    home.configFile,
    secrets.map((secret) => secret.name),
  );
}

export function written(entry: ServerEntry, file: string, secrets: readonly string[] = []): WrittenServer {
  const { target, warnings } = describeTarget(entry.reach);
  return { name: entry.name, target, warnings, file, secrets };
}

function refuseTaken(servers: ServersText, name: string, { replace }: AddOptions, file: string): void {
  if (!replace && servers.has(name))
    throw new CliError('usage', `There is already a server ${JSON.stringify(name)} in ${file}.`, {
      hint: 'crosspoint servers edit changes it; --replace puts this one in its place.',
    });
}
