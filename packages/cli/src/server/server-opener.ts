import { CliError } from '../errors/cli-error.ts';
import type { TargetWords } from '../grammar/command.ts';
import type { TargetValues } from '../grammar/parse.ts';
import { KeptServer } from '../keeper/kept-server.ts';
import { KeptRecords } from '../keeper/records.ts';
import type { Home } from '../place/home.ts';
import type { OpenServer } from './open-server.ts';
import type { OperationOptions } from './operations.ts';

/** The surroundings in which servers are opened. */
export interface OpeningPlace {
  readonly home: Home;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Tells the user something. */
  note(text: string): void;
}

export interface OpeningOptions extends OperationOptions {
  /** Called with the server before it is connected: questions may come meanwhile, and are answered there. */
  readonly onopening?: ((server: OpenServer) => void) | undefined;
  /** Keeps a record of what led to what, where the server is opened for this command. */
  readonly withTimeline?: boolean | undefined;
}

/** The server that was named: the kept connection of that name, or one that is opened for this command. */
export async function openServer(
  target: TargetWords,
  reaching: TargetValues,
  place: OpeningPlace,
  options: OpeningOptions,
): Promise<OpenServer> {
  const kept = target.kind === 'word' ? await reachKept(target.word, place.home) : undefined;
  if (kept !== undefined) {
    refuseForKept(reaching, kept.name);
    return kept;
  }
  const { openLocally } = await import('./open-locally.ts');
  return openLocally(target, reaching, place, options);
}

/** The kept connection of a name; `undefined` when there is none. The record of a keeper that is gone is removed. */
export async function reachKept(name: string, home: Home): Promise<KeptServer | undefined> {
  const records = new KeptRecords(home.keptFolder);
  const record = await records.read(name);
  if (record === undefined) return undefined;
  const server = await KeptServer.reach(record);
  if (server === undefined) await records.remove(record);
  return server;
}

function refuseForKept(reaching: TargetValues, name: string): void {
  const { family, revision, root, header, env, cwd } = reaching;
  const given = { family, revision, root, header, env, cwd };
  for (const [option, value] of Object.entries(given))
    if (value !== undefined && value.length > 0)
      throw new CliError('usage', `--${option} is decided when a connection is opened, and "${name}" is open.`, {
        hint: `crosspoint close ${name} ends it; crosspoint connect opens it anew.`,
      });
}
