import { OAuthError } from '../oauth-error.ts';
import { createOutboundFetch } from '../outbound/outbound-fetch.ts';
import { policyFor, type FetchLike, type OutboundPolicy } from '../outbound/policy.ts';
import { contained, type Trace } from './auth-step.ts';
import { AuthRun } from './auth-run.ts';
import type { Discovery, ServerOverrides } from './discovery/discovery.ts';
import { AuthFlowError } from './flow-error.ts';
import type { OAuthClientProvider } from './oauth-client-provider.ts';

/** `AUTHORIZED`: there are tokens. `REDIRECT`: the user was sent to a page, and its answer has to be handed over. */
export type AuthResult = 'AUTHORIZED' | 'REDIRECT';

/** `found`: somebody else had got new ones meanwhile. `granted`: to a client that acts for itself. */
export type ObtainedBy = 'found' | 'renewed' | 'granted' | 'login';

export interface AuthOptions {
  serverUrl: string | URL;
  /** Everything that came back from the page: its query. */
  callback?: URLSearchParams | undefined;
  /** The code alone, from programs that have checked the state themselves. */
  authorizationCode?: string | undefined;
  /** What came back as `iss` beside the code. */
  iss?: string | undefined;
  /** What the server wants for the request at hand. */
  scope?: string | undefined;
  resourceMetadataUrl?: URL | undefined;
  /** What sends the requests; the library's own guarded connections when absent. */
  fetchFn?: FetchLike | undefined;
  /** Where peers may send us. */
  policy?: OutboundPolicy | undefined;
  overrides?: ServerOverrides | undefined;
  /** Do not try to renew: only a new login gives more rights. */
  forceReauthorization?: boolean | undefined;
  /** The token that was refused: when there is another one by now, somebody else has renewed it. */
  refusedToken?: string | undefined;
  /** The server wants tokens that are bound to a key, with these algorithms. */
  dpopAlgorithms?: readonly string[] | undefined;
  trace?: Trace | undefined;
  /** Told when a user is waited for, and when that is over. */
  onwaiting?: ((isWaiting: boolean) => void) | undefined;
  /** Told how the tokens came to be. */
  onobtained?: ((how: ObtainedBy) => void) | undefined;
  /** Told what was found, with everything that was overridden. */
  ondiscovered?: ((discovery: Discovery) => void) | undefined;
}

/**
 * Gets tokens for a server into the provider: finishes a login whose answer is given, asks as a client that acts for itself, renews, or
 * sends the user to the page. A refresh token that is dead leads to a login and nothing else; a server that is out of order leads to an
 * `unavailable` error, and everything is kept.
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
    // The authorization server has forgotten this client: it is made known again, once.
    await provider.invalidateCredentials('all');
    return run.authorize();
  }
}

function callbackOf({ callback, authorizationCode, iss }: AuthOptions): URLSearchParams | undefined {
  if (callback !== undefined) return callback;
  if (authorizationCode === undefined) return undefined;
  if (authorizationCode === '') throw new AuthFlowError('callback', 'The authorization code is empty.');
  return new URLSearchParams({ code: authorizationCode, ...(iss !== undefined && { iss }) });
}

function isClientLost(error: unknown): boolean {
  return error instanceof OAuthError && (error.code === 'invalid_client' || error.code === 'unauthorized_client');
}
