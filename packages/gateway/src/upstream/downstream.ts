import type { Caller } from 'crosspoint/server';
import { upstreamCapabilities } from '../words/capabilities.ts';
import type { UpstreamCaller } from './upstream.ts';

type Family = 'handshake' | 'per-request';

/** The server, as far as sessions depend on it. */
export interface ServerKind {
  readonly family: Family;
  /** Whether the operator says that the server keeps nothing, so that users may share a session. */
  readonly isStateless: boolean;
}

/** The key under which a caller's sessions of the server are kept, and what the server is told of it. */
export interface Downstream {
  readonly key: string;
  readonly caller: UpstreamCaller;
}

/** The texts of capabilities that belong to sessions, and stay the same objects. */
const texts = new WeakMap<object, { readonly client: Caller['client']; readonly text: string }>();

/**
 * The key under which a caller's sessions of the server are kept. A server with a handshake keeps facts and state by session, so callers share one only when all
 * facts about them are the same, and a client with a session of its own has one there, too. A server without sessions gets the facts with every request.
 */
export function keyOf(caller: Caller, server: ServerKind): string {
  const user = server.isStateless ? null : (caller.principal ?? null);
  if (server.family === 'per-request') return JSON.stringify([user]);
  return JSON.stringify([user, ownSession(caller, server) ?? null]) + factsText(caller);
}

/** The facts about a caller, as the server is told them in a handshake. */
export function toldOf(caller: Caller, server: ServerKind): UpstreamCaller {
  const { principal, client, family } = caller;
  const hasSession = server.family === 'handshake' && ownSession(caller, server) !== undefined;
  return {
    principal: server.isStateless ? undefined : principal,
    client,
    capabilities: upstreamCapabilities(caller.capabilities, family, server.family),
    ...(hasSession && { hasSession }),
  };
}

/** The session of a client that has one at the server, too. */
function ownSession({ family, group }: Caller, { isStateless }: ServerKind): string | undefined {
  return family === 'handshake' && !isStateless ? group : undefined;
}

/** The facts as text. Those of a client with a session are written once: 2 µs a call. */
function factsText({ client, capabilities, family }: Caller): string {
  const known = texts.get(capabilities);
  if (known !== undefined && known.client === client) return known.text;
  const text = JSON.stringify([client ?? null, upstreamCapabilities(capabilities, family, 'handshake')]);
  if (family === 'handshake') texts.set(capabilities, { client, text });
  return text;
}
