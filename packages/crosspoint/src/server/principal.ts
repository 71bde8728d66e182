import type { AuthInfo } from '../transports/transport.ts';

/**
 * Who is calling, as one text: the client program and, where the token says so (`sub`), its user. Several users share a client program, so
 * what belongs to one of them must not be bound to the program alone. `undefined` without a verified token.
 */
export function principalOf(authInfo: AuthInfo | undefined): string | undefined {
  return authInfo === undefined ? undefined : JSON.stringify([authInfo.clientId, authInfo.extra?.['sub'] ?? null]);
}
