import { CliError } from '../errors/cli-error.ts';
import { KeptRecords } from '../keeper/records.ts';
import type { Home } from '../place/home.ts';
import type { HeldServers } from './held-servers.ts';
import type { OpenServer } from './open-server.ts';
import { reachKept } from './server-opener.ts';

/** Does the work with a kept connection, or one of the shell, for commands that are about the connection itself. Rejects where none has the name. */
export async function withKept<T>(
  name: string,
  { home, held }: { readonly home: Home; readonly held?: HeldServers | undefined },
  work: (server: OpenServer) => Promise<T>,
): Promise<T> {
  const server = held?.get(name) ?? (await reachKept(name, home));
  if (server === undefined) {
    const records = [...(held?.list() ?? []), ...(await new KeptRecords(home.keptFolder).list())];
    const kept = records.map((record) => record.name);
    throw new CliError('usage', `There is no kept connection ${JSON.stringify(name)}.`, {
      hint: 'crosspoint ls lists them, crosspoint connect opens one.',
      mistyped: { word: name, among: kept },
    });
  }
  try {
    return await work(server);
  } finally {
    await server.release();
  }
}
