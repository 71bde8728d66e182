import { CliError } from '../errors/cli-error.ts';
import type { KeptServer } from '../keeper/kept-server.ts';
import { KeptRecords } from '../keeper/records.ts';
import type { Home } from '../place/home.ts';
import { reachKept } from './server-opener.ts';

/** Does the work with every kept connection, or with those that are named, and lets go of them. Rejects for a name that is not kept. */
export async function withKept<T>(
  home: Home,
  names: readonly string[],
  work: (server: KeptServer) => Promise<T>,
): Promise<readonly T[]> {
  const chosen = names.length === 0 ? await keptNames(home) : await checked(home, names);
  const done = await Promise.all(
    chosen.map(async (name) => {
      const server = await reachKept(name, home);
      if (server === undefined) return [];
      try {
        return [await work(server)];
      } finally {
        await server.release();
      }
    }),
  );
  return done.flat();
}

/** Does the work with the kept connection that `find` finds something at. `undefined` where none has it. */
export async function whereKept<Found, T>(
  home: Home,
  find: (server: KeptServer) => Promise<Found | undefined>,
  work: (found: Found, server: KeptServer) => Promise<T>,
): Promise<{ readonly done: T } | undefined> {
  for (const name of await keptNames(home)) {
    const server = await reachKept(name, home);
    if (server === undefined) continue;
    try {
      const found = await find(server);
      if (found !== undefined) return { done: await work(found, server) };
    } finally {
      await server.release();
    }
  }
  return undefined;
}

export async function keptNames({ keptFolder }: Home): Promise<readonly string[]> {
  return (await new KeptRecords(keptFolder).list()).map(({ name }) => name);
}

async function checked(home: Home, names: readonly string[]): Promise<readonly string[]> {
  const kept = await keptNames(home);
  const missing = names.find((name) => !kept.includes(name));
  if (missing !== undefined)
    throw new CliError('usage', `There is no kept connection ${JSON.stringify(missing)}.`, {
      hint: 'crosspoint ls lists them, crosspoint connect opens one.',
      mistyped: { word: missing, among: kept },
    });
  return [...new Set(names)];
}
