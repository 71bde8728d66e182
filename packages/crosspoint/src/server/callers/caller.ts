import type { AuthInfo, MessageExtraInfo } from '../../transports/transport.ts';
import { rememberLast } from '../../runtime/remember-last.ts';

/**
 * Who is calling, as one text: the client program and, where the token says so, its user (`sub`) and who vouches for them (`iss`). Several users share a
 * client program, so what belongs to one of them must not be bound to the program alone; and two issuers may give one name to two
 * users. `undefined` without a verified token, and for one that names no client.
 */
export function principalOf(authInfo: AuthInfo | undefined): string | undefined {
  if (typeof authInfo?.clientId !== 'string' || authInfo.clientId === '') return undefined;
  const { clientId, extra } = authInfo;
  const { sub, iss } = extra ?? {};
  return JSON.stringify([clientId, sub ?? null, ...(iss === undefined ? [] : [iss])]);
}

/** The name of the caller: the one that the transport gives, else the one that the token gives. Sessions, tasks, keys, states and limits all use this one. */
export function principalIn(extra: MessageExtraInfo | undefined): string | undefined {
  if (extra === undefined) return undefined;
  const { principal } = extra;
  return principal === undefined ? principalOf(extra.authInfo) : (principal ?? undefined);
}

/** At hand for the last address: a text put together anew is hashed anew wherever it is looked up, 3 % of a request over HTTP. */
const addressOwner = rememberLast((address: string) => `address:${address}`);

/** Whom to count something for: the caller by name, else by network address. `undefined` for a caller without either, who is the connection itself. */
export function ownerIn(extra: MessageExtraInfo | undefined): string | undefined {
  const principal = principalIn(extra);
  if (principal !== undefined) return `principal:${principal}`;
  const address = extra?.address;
  return address === undefined ? undefined : addressOwner(address);
}

const connections = new WeakMap<object, string>();

/** An owner as a text that means the same in every process. A connection has one of its own for as long as it lives. */
export function ownerKey(owner: string | object): string {
  if (typeof owner === 'string') return owner;
  let key = connections.get(owner);
  if (key === undefined) connections.set(owner, (key = `connection:${crypto.randomUUID()}`));
  return key;
}
