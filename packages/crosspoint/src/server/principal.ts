import type { AuthInfo } from '../transports/transport.ts';

/**
 * Who is calling, as one text: the client program and, where the token says so, its user (`sub`) and who vouches for them (`iss`). Several users share a
 * client program, so what belongs to one of them must not be bound to the program alone; and two issuers may give one name to two
 * users. `undefined` without a verified token.
 */
export function principalOf(authInfo: AuthInfo | undefined): string | undefined {
  if (authInfo === undefined) return undefined;
  const { clientId, extra = {} } = authInfo;
  return JSON.stringify([clientId, extra['sub'] ?? null, ...(extra['iss'] === undefined ? [] : [extra['iss']])]);
}
