import type { Store } from 'crosspoint/stores';
import { Approvals, digestOf, type Json } from '@crosspoint/host';
import { TrustBook, type Reach, type ServerEntry } from '@crosspoint/host/config';
import { CliError } from '../errors/cli-error.ts';

/** Throws for a server of a repository's file that the user has not trusted, or not with this content. Nothing of it was expanded. */
export async function refuseUntrusted({ name, origin }: ServerEntry, store: Store): Promise<void> {
  const { scope, file = '' } = origin;
  if (scope !== 'project') return;
  const state = await new TrustBook(store).stateOf(origin);
  if (state === 'trusted') return;
  throw new CliError(
    'denied',
    state === 'changed'
      ? `The server "${name}" was not started: ${file} has changed since you trusted it.`
      : `The server "${name}" was not started: ${file} belongs to this folder, and you have not trusted it.`,
    { hint: `crosspoint trust grant ${file} shows what it would start, and asks.` },
  );
}

/**
 * Forgets the definitions of another server that had the same name: a server that is typed is called after its program, or as the user says, and its tools
 * are no changed ones of another program's.
 */
export async function forgetOther({ name, origin, reach }: ServerEntry, store: Store): Promise<void> {
  if (origin.scope !== 'program') return;
  const key = `cli:typed:${digestOf(name)}`;
  const identity = digestOf(placeOf(reach));
  const before = (await store.get(key))?.value;
  if (before === identity) return;
  if (before !== undefined) await new Approvals({ store }).forget(name);
  await store.put(key, identity);
}

/** Where a server is, without the values of variables and headers: a new token is no other server, and a digest of one says too much. */
function placeOf(reach: Reach): Json {
  if (reach.type === 'transport') return reach.type;
  if (reach.type !== 'stdio') return { url: reach.url, headers: Object.keys(reach.headers ?? {}) };
  const { command, args = [], cwd = '', env = {} } = reach;
  return { command, args, cwd, env: Object.keys(env) };
}
