import { rememberLast } from '../../runtime/remember-last.ts';
import type { AuthInfo, MessageExtraInfo } from '../../transports/transport.ts';
import type { Caller } from '../calls/context.ts';
import type { Connection } from '../session/connection.ts';

/**
 * The name of the caller from a token: the client program and, where the token names them, its user (`sub`) and issuer (`iss`). Several users share a
 * client program, so state of one of them must not be bound to the program alone; and two issuers may give one name to two users. `undefined` without
 * a verified token, and for one that names no client.
 */
export function principalOf(authInfo: AuthInfo | undefined): string | undefined {
  if (typeof authInfo?.clientId !== 'string' || authInfo.clientId === '') return undefined;
  const { clientId, extra } = authInfo;
  const { sub, iss } = extra ?? {};
  return JSON.stringify([clientId, sub ?? null, ...(iss === undefined ? [] : [iss])]);
}

/** The name of the caller: from the transport, otherwise from the token. Sessions, tasks, keys, states and limits all use this name. */
export function principalIn(extra: MessageExtraInfo | undefined): string | undefined {
  if (extra === undefined) return undefined;
  const { principal } = extra;
  return principal === undefined ? principalOf(extra.authInfo) : (principal ?? undefined);
}

/** The key under which a caller is counted: by name, otherwise by network address. `undefined` for a caller with neither: its connection is counted. */
export function ownerIn(extra: MessageExtraInfo | undefined): string | undefined {
  const principal = principalIn(extra);
  if (principal !== undefined) return named('principal', principal);
  const address = extra?.address;
  return address === undefined ? undefined : named('address', address);
}

/** The last text is kept: a new one would have to be hashed for every search, which took 3 % of the library's time of a call over HTTP. */
const named = /* @__PURE__ */ rememberLast((kind: string, name: string) => `${kind}:${name}`);

const connections = new WeakMap<object, string>();

/** An owner as a text that means the same in every process. A connection gets a random one for its lifetime. */
export function ownerKey(owner: string | object): string {
  if (typeof owner === 'string') return owner;
  let key = connections.get(owner);
  if (key === undefined) connections.set(owner, (key = `connection:${crypto.randomUUID()}`));
  return key;
}

/** The sender of a notification, which has no context. */
export function callerOf(connection: Connection | undefined, extra: MessageExtraInfo | undefined): Caller {
  const facts = connection?.session?.facts;
  return {
    client: undefined,
    capabilities: {},
    ...facts,
    authInfo: extra?.authInfo,
    principal: principalIn(extra),
    family: facts ? 'handshake' : 'per-request',
    sessionId: connection?.sessionId,
    group: connection?.group,
  };
}
