import { OAuthError } from '../oauth-error.ts';
import { createOutboundFetch } from '../outbound/outbound-fetch.ts';
import { policyFor, type FetchLike, type OutboundPolicy } from '../outbound/policy.ts';
import { contained, type Trace } from './auth-step.ts';
import { AuthRun } from './auth-run.ts';
import type { Discovery, ServerOverrides } from './discovery/discovery.ts';
import { AuthFlowError } from './flow-error.ts';
import type { OAuthClientProvider } from './oauth-client-provider.ts';

/** `AUTHORIZED`: the provider has tokens. `REDIRECT`: the user was sent to a page; pass its answer as `callback`. */
export type AuthResult = 'AUTHORIZED' | 'REDIRECT';

/**
 * How tokens were obtained. `found`: another process had refreshed them. `renewed`: by a refresh token. `granted`: without a user. `login`:
 * by a user.
 */
export type ObtainedBy = 'found' | 'renewed' | 'granted' | 'login';

export interface AuthOptions {
  serverUrl: string | URL;
  /** Query parameters of the redirect. */
  callback?: URLSearchParams | undefined;
  /** The code alone, from programs that have checked the state themselves. */
  authorizationCode?: string | undefined;
  /** The `iss` parameter returned beside the code. */
  iss?: string | undefined;
  /** Scope that the server requires for the request. */
  scope?: string | undefined;
  resourceMetadataUrl?: URL | undefined;
  /** Sends the requests; a guarded fetch of the library when absent. */
  fetchFn?: FetchLike | undefined;
  /** Rules for addresses that a server names. */
  policy?: OutboundPolicy | undefined;
  overrides?: ServerOverrides | undefined;
  /** Skip refreshing, because only a new login can grant more scopes. */
  forceReauthorization?: boolean | undefined;
  /** The token that was refused. If the stored one differs, another process has refreshed it. */
  refusedToken?: string | undefined;
  /** Algorithms for DPoP-bound tokens, when the server requires them. */
  dpopAlgorithms?: readonly string[] | undefined;
  trace?: Trace | undefined;
  /** Called with `true` when the login waits for a user, and with `false` when the wait is over. */
  onwaiting?: ((isWaiting: boolean) => void) | undefined;
  /** Called with how the tokens were obtained. */
  onobtained?: ((how: ObtainedBy) => void) | undefined;
  /** Called with the discovery result, overrides included. */
  ondiscovered?: ((discovery: Discovery) => void) | undefined;
}

/**
 * Obtains tokens for a server and stores them in the provider: completes a login whose answer is given, uses a grant without a user,
 * refreshes, or sends the user to the login page. An invalid refresh token leads to a login; an unavailable authorization server rejects
 * with the fault `unavailable` and changes nothing.
 */
export async function auth(provider: OAuthClientProvider, options: AuthOptions): Promise<AuthResult> {
  const serverUrl = new URL(options.serverUrl);
  const policy = policyFor(serverUrl, { ...options.policy, ...(options.fetchFn && { fetch: options.fetchFn }) });
  const trace = contained(options.trace);
  const run = new AuthRun(provider, { ...options, trace, serverUrl, policy, fetch: createOutboundFetch(policy) });
  const callback = callbackOf(options);
  if (callback !== undefined) return run.finish(callback, options.callback !== undefined);
  try {
    return await run.authorize();
  } catch (error) {
    if (!isClientLost(error) || provider.invalidateCredentials === undefined) throw error;
    // The authorization server no longer knows this client: it is registered again, once.
    await provider.invalidateCredentials('all');
    return run.authorize();
  }
}

function callbackOf({ callback, authorizationCode, iss }: AuthOptions): URLSearchParams | undefined {
  if (callback !== undefined) return callback;
  if (authorizationCode === undefined) return undefined;
  if (authorizationCode === '')
    throw new AuthFlowError('callback', 'The authorization code is empty: pass the one that the login page gave.');
  return new URLSearchParams({ code: authorizationCode, ...(iss !== undefined && { iss }) });
}

function isClientLost(error: unknown): boolean {
  return error instanceof OAuthError && (error.code === 'invalid_client' || error.code === 'unauthorized_client');
}
