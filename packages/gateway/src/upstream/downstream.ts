import type { Caller } from 'crosspoint/server';
import { upstreamCapabilities } from '../words/capabilities.ts';
import type { UpstreamCaller } from './upstream.ts';

type Family = 'handshake' | 'per-request';

/** The key under which a caller's sessions of the server are kept, and what the server is told of it. */
export interface Downstream {
  readonly key: string;
  readonly caller: UpstreamCaller;
}

/**
 * A client downstream, as the server is to know it. A server with a handshake keeps facts and state by session, so callers share one only when all facts about
 * them are the same, and a client with a session of its own has one there, too. A server without sessions gets the facts with every request. `isStateless`: the
 * operator says that the server keeps nothing, so users may share.
 */
export function downstreamOf(caller: Caller, to: Family, isStateless: boolean): Downstream {
  const { principal, client, family, group } = caller;
  const capabilities = upstreamCapabilities(caller.capabilities, family, to);
  const user = isStateless ? null : (principal ?? null);
  const session = family === 'handshake' && !isStateless ? (group ?? null) : null;
  const facts = to === 'handshake' ? [client ?? null, capabilities, session] : [];
  const told = {
    principal: isStateless ? undefined : principal,
    client,
    capabilities,
    ...(to === 'handshake' && session !== null && { hasSession: true }),
  };
  return { key: JSON.stringify([user, ...facts]), caller: told };
}
