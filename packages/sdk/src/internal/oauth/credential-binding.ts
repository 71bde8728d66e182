/**
 * Credentials belong to the authorization server that issued them, which is noted in them as `issuer`. A server that names another
 * authorization server is so not sent the secrets and refresh tokens of the first.
 */

interface Bound {
  readonly issuer?: string | undefined;
}

/** Spellings of one address are the same issuer, also without the slash that `new URL` adds: they lead to the same metadata. */
export function isSameIssuer(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => (URL.canParse(text) ? new URL(text).href : text).replace(/\/$/, ''));
  return a === b;
}

/** The credentials where they are for this issuer or say nothing about it; else `undefined`, as if nothing had been stored. */
export function boundTo<T extends Bound>(stored: T | null | undefined, issuer: string): T | undefined {
  if (stored === undefined || stored === null) return undefined;
  const { issuer: noted } = stored;
  if (typeof noted !== 'string')
    return noted === undefined || noted === null ? stored : { ...stored, issuer: undefined };
  return isSameIssuer(noted, issuer) ? stored : undefined;
}

/** The client; throws where it is for another issuer, because nothing takes its place. */
export function clientBoundTo<T extends Bound>(stored: T | null | undefined, issuer: string): T | undefined {
  const client = boundTo(stored, issuer);
  if (client !== undefined || stored === undefined || stored === null) return client;
  throw new Error(
    `OAuth client information is bound to authorization server ${stored.issuer} and is not presented to ${issuer}. ` +
      'Clear the stored client information, or correct `expectedIssuer`, if the authorization server has moved.',
  );
}
