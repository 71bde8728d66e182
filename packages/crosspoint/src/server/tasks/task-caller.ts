import type { AuthInfo } from '../../transports/transport.ts';
import type { KeptCall } from './task-record.ts';

/** The stored identity of a caller: its name, and nothing that could be used on its behalf. */
export function keptCaller(authInfo: AuthInfo | undefined): KeptCall['caller'] {
  if (authInfo === undefined) return undefined;
  const { clientId, scopes, extra = {} } = authInfo;
  const { sub, iss } = extra;
  return { clientId, scopes, ...(sub !== undefined && { sub }), ...(iss !== undefined && { iss }) };
}

/** The caller as a handler sees it after a crash: its name, without its token. */
export function callerOf({ clientId, scopes, ...extra }: NonNullable<KeptCall['caller']>): AuthInfo {
  return { token: '', clientId, scopes, extra };
}
