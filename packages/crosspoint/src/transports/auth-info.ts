import { isJsonObject } from '../jsonrpc/message.ts';
import type { AuthInfo } from './transport.ts';

/** Tolerated difference between two clocks. */
const SKEW_MS = 30_000;
/** Expiry times from here on are milliseconds, as some programs give them: in seconds they would lie after the year 5000. */
const FIRST_IN_MS = 1e11;

/** Why a value is no valid `AuthInfo`; `undefined` when it is valid. Only an object with a non-empty `clientId` names a caller. */
export function authInfoFault(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'It must be an object.';
  const { clientId, scopes, expiresAt, extra } = value;
  if (typeof clientId !== 'string' || clientId === '') return 'Its clientId must be a non-empty string.';
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string')))
    return 'Its scopes must be an array of strings.';
  if (expiresAt !== undefined && (typeof expiresAt !== 'number' || Number.isNaN(expiresAt)))
    return 'Its expiresAt must be a number of seconds.';
  return extra === undefined || isJsonObject(extra) ? undefined : 'Its extra must be an object.';
}

/** Expiry of a token in milliseconds since the epoch. `Infinity` when it names none, `-Infinity` when what it names is no time. */
export function expiryOf(authInfo: AuthInfo | undefined): number {
  const expiresAt: unknown = authInfo?.expiresAt;
  if (expiresAt === undefined) return Number.POSITIVE_INFINITY;
  if (typeof expiresAt !== 'number' || Number.isNaN(expiresAt)) return Number.NEGATIVE_INFINITY;
  return expiresAt >= FIRST_IN_MS ? expiresAt : expiresAt * 1000;
}

/** Milliseconds for which a token is still accepted, 30 s of clock difference included; `Infinity` when it does not expire. */
export function tokenLife(authInfo: AuthInfo | undefined, now: number = Date.now()): number {
  return Math.max(0, expiryOf(authInfo) + SKEW_MS - now);
}
