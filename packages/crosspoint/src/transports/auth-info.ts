import { isJsonObject } from '../jsonrpc/message.ts';
import type { AuthInfo } from './transport.ts';

/** How far clocks may be apart. */
const SKEW_MS = 30_000;
/** A moment this large is not in seconds, which would be after the year 5000: some programs count in milliseconds. */
const FIRST_IN_MS = 1e11;

/** Why something that a program gives does not say who is calling; `undefined` when it does. Only an object with a `clientId` names a caller. */
export function authInfoFault(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'It is no object.';
  const { clientId, scopes, expiresAt, extra } = value;
  if (typeof clientId !== 'string' || clientId === '') return 'Its clientId must be a text that is not empty.';
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string')))
    return 'Its scopes must be a list of texts.';
  if (expiresAt !== undefined && (typeof expiresAt !== 'number' || Number.isNaN(expiresAt)))
    return 'Its expiresAt must be a number of seconds.';
  return extra === undefined || isJsonObject(extra) ? undefined : 'Its extra must be an object.';
}

/** When a token expires, in milliseconds since the epoch; never where it does not say, long ago where what it says is no time. */
export function expiryOf(authInfo: AuthInfo | undefined): number {
  const expiresAt: unknown = authInfo?.expiresAt;
  if (expiresAt === undefined) return Number.POSITIVE_INFINITY;
  if (typeof expiresAt !== 'number' || Number.isNaN(expiresAt)) return Number.NEGATIVE_INFINITY;
  return expiresAt >= FIRST_IN_MS ? expiresAt : expiresAt * 1000;
}

/** How long a caller may still be served on the strength of its token, in milliseconds; for ever where the token does not say. */
export function tokenLife(authInfo: AuthInfo | undefined, now: number = Date.now()): number {
  return Math.max(0, expiryOf(authInfo) + SKEW_MS - now);
}
