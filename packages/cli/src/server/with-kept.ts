import { CliError } from '../errors/cli-error.ts';
import { KeptRecords } from '../keeper/records.ts';
import type { Home } from '../place/home.ts';
import type { OpenServer } from './open-server.ts';
import { reachKept } from './server-opener.ts';

/** Does the work with a kept connection, for commands that are about the connection itself. Rejects where none has the name. */
export async function withKept<T>(
  name: string,
  { home }: { readonly home: Home },
  work: (server: OpenServer) => Promise<T>,
): Promise<T> {
  const server = await reachKept(name, home);
  if (server === undefined) {
    const kept = (await new KeptRecords(home.keptFolder).list()).map((record) => record.name);
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
