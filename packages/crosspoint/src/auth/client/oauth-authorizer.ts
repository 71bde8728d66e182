import { parseChallenges, type Challenge } from '../challenge.ts';
import { createOutboundFetch } from '../outbound/outbound-fetch.ts';
import { policyFor, type FetchLike, type OutboundPolicy } from '../outbound/policy.ts';
import { scopeCovers, scopeUnion } from '../resource-identifier.ts';
import { auth, type AuthOptions, type AuthResult, type ObtainedBy } from './auth.ts';
import { AuthRun } from './auth-run.ts';
import type { Trace } from './auth-step.ts';
import type { Discovery, ServerOverrides } from './discovery/discovery.ts';
import { isDpopNonceChallenge } from './tokens/dpop-proofs.ts';
import { AuthFlowError, InsufficientScopeError, isTemporary } from './flow-error.ts';
import type { OAuthClientProvider, StoredOAuthTokens } from './oauth-client-provider.ts';
import { isDead, isOver } from './tokens/stored-tokens.ts';

export interface AuthorizerOptions {
  readonly serverUrl: string | URL;
  readonly fetch?: FetchLike | undefined;
  readonly policy?: OutboundPolicy | undefined;
  readonly overrides?: ServerOverrides | undefined;
  /** Called with every step of every login. */
  readonly trace?: Trace | undefined;
}

/** Decision about a refused request. `redirected`: the user was sent to the login page, and its answer has to be passed to `finish`. */
export type Refusal = 'retry' | 'give-up' | 'redirected';

export interface RefusedRequest {
  readonly response: Response;
  readonly url: URL;
  /** `Authorization` header that the request was sent with. */
  readonly authorization: string | undefined;
  /** Identifies the request: the same object for each of its attempts. */
  readonly request: object;
}

interface Attempts {
  logins: number;
  renewals: number;
  stepUps: number;
  nonces: number;
  /** How often another process had replaced the token by the time of the refusal. */
  changes: number;
}

/** Limits for one request. */
const MAX_STEP_UPS = 2;
const MAX_NONCES = 2;
const MAX_CHANGES = 3;

/** Logins and refreshes in progress, by provider: requests on several connections share one. */
const LOGINS = new WeakMap<OAuthClientProvider, Promise<AuthResult>>();
const RENEWALS = new WeakMap<OAuthClientProvider, Promise<void>>();

function once<T>(
  running: WeakMap<OAuthClientProvider, Promise<T>>,
  provider: OAuthClientProvider,
  begin: () => Promise<T>,
): Promise<T> {
  const before = running.get(provider);
  if (before !== undefined) return before;
  const mine = begin().finally(() => running.delete(provider));
  running.set(provider, mine);
  return mine;
}

/**
 * Authorizes the requests to one server with an OAuth provider, and obtains new tokens after a refusal: one login or refresh at a time,
 * however many requests wait for it.
 */
export class OAuthAuthorizer {
  /** Result of the last discovery, overrides included. */
  discovery: Discovery | undefined;
  /** Called with `true` when a login waits for a user, and with `false` when the wait is over. */
  onwaiting: ((isWaiting: boolean) => void) | undefined;
  readonly #provider: OAuthClientProvider;
  readonly #options: AuthorizerOptions;
  readonly #attempts = new WeakMap<object, Attempts>();

  constructor(provider: OAuthClientProvider, options: AuthorizerOptions) {
    this.#provider = provider;
    this.#options = options;
  }

  get extensions(): readonly string[] {
    return this.#provider.extensions ?? [];
  }

  /** The token to send; refreshed first if it is about to expire. */
  async token(): Promise<string | undefined> {
    return (await this.#current())?.access_token;
  }

  async authorize({ method, url }: { method: string; url: URL }): Promise<Record<string, string>> {
    const tokens = await this.#current();
    if (tokens === undefined) return {};
    const { access_token: accessToken, token_type: type } = tokens;
    const session = type.toLowerCase() === 'dpop' ? await this.#provider.dpop?.() : undefined;
    if (session === undefined) return { Authorization: `Bearer ${accessToken}` };
    return { Authorization: `DPoP ${accessToken}`, DPoP: await session.buildProof({ method, url, accessToken }) };
  }

  async #current(): Promise<StoredOAuthTokens | undefined> {
    const tokens = await this.#provider.tokens();
    if (tokens?.refresh_token === undefined || !isOver(tokens)) return tokens;
    try {
      await once(RENEWALS, this.#provider, () => this.#renew(tokens));
    } catch (error) {
      if (isDead(tokens) && isTemporary(error)) throw error;
      // The token is still valid, or the server will refuse it and start a login.
      return isDead(tokens) ? undefined : tokens;
    }
    return this.#provider.tokens();
  }

  async onRefused(refused: RefusedRequest): Promise<Refusal> {
    const { response, url, request } = refused;
    const attempts = this.#attempts.get(request) ?? { logins: 0, renewals: 0, stepUps: 0, nonces: 0, changes: 0 };
    this.#attempts.set(request, attempts);
    const session = await this.#provider.dpop?.();
    if (session?.observeNonce(response, url) === true && isDpopNonceChallenge(response))
      return (attempts.nonces += 1) <= MAX_NONCES ? 'retry' : 'give-up';
    const challenge = challengeOf(response);
    if (response.status === 403) return this.#stepUp(challenge, attempts);
    const sent = refused.authorization?.replace(/^\S+\s+/, '');
    const current = await this.#provider.tokens();
    // The token was replaced after this request was sent.
    const isOther = current !== undefined && !isDead(current) && current.access_token !== sent;
    if (isOther && (attempts.changes += 1) <= MAX_CHANGES) return 'retry';
    if (attempts.logins > 0)
      throw new AuthFlowError(
        'needs-user',
        `${url.origin}${url.pathname} refuses the token that was just issued for it${challenge?.params['error_description'] === undefined ? '' : ` (${challenge.params['error_description'].slice(0, 200)})`}. Its operator has to find out why; explainAuth shows what it asks for.`,
      );
    return this.#login(challenge, sent, attempts);
  }

  /** Completes a login, with the query of the redirect or with the code alone. */
  async finish(answer: URLSearchParams | string, iss?: string): Promise<void> {
    const given = typeof answer === 'string' ? { authorizationCode: answer, iss } : { callback: answer };
    await auth(this.#provider, { ...this.#base(), ...given });
  }

  async #login(challenge: Challenge | undefined, sent: string | undefined, attempts: Attempts): Promise<Refusal> {
    let how: ObtainedBy | undefined;
    const result = await this.#single({
      ...this.#base(),
      ...fromChallenge(challenge),
      refusedToken: sent,
      // A token that was just refreshed and is refused again needs a new login, not another refresh.
      forceReauthorization: attempts.renewals > 0,
      onobtained: (by) => (how = by),
    });
    if (how === 'renewed') attempts.renewals += 1;
    else if (how === 'login' || how === 'granted') attempts.logins += 1;
    else attempts.changes += 1;
    return result === 'AUTHORIZED' ? 'retry' : 'redirected';
  }

  async #stepUp(challenge: Challenge | undefined, attempts: Attempts): Promise<Refusal> {
    if (challenge?.params['error'] !== 'insufficient_scope') return 'give-up';
    const required = challenge.params['scope'];
    const tokens = await this.#provider.tokens();
    const before = scopeUnion(tokens?.requested_scope, tokens?.scope);
    attempts.stepUps += 1;
    if (required === undefined) throw new InsufficientScopeError(undefined, 'does not say which');
    if (scopeCovers(before, required))
      throw new InsufficientScopeError(required, 'it was asked for already, so another login would not help');
    if (attempts.stepUps > MAX_STEP_UPS)
      throw new InsufficientScopeError(required, `it has asked for more ${MAX_STEP_UPS} times already`);
    const scope = scopeUnion(before, required);
    const result = await this.#single({
      ...this.#base(),
      ...fromChallenge(challenge),
      scope,
      forceReauthorization: true,
    });
    return result === 'AUTHORIZED' ? 'retry' : 'redirected';
  }

  /** Requests refused meanwhile wait for the same login and the same user. */
  async #single(options: AuthOptions): Promise<AuthResult> {
    const isJoining = LOGINS.has(this.#provider);
    if (isJoining) this.onwaiting?.(true);
    try {
      return await once(LOGINS, this.#provider, () => auth(this.#provider, options));
    } finally {
      if (isJoining) this.onwaiting?.(false);
    }
  }

  async #renew(tokens: StoredOAuthTokens): Promise<void> {
    const serverUrl = new URL(this.#options.serverUrl);
    const { fetch: fetchFn } = this.#options;
    const policy = policyFor(serverUrl, { ...this.#options.policy, ...(fetchFn && { fetch: fetchFn }) });
    const options = { ...this.#base(), serverUrl, policy, fetch: createOutboundFetch(policy) };
    await new AuthRun(this.#provider, { ...options, refusedToken: tokens.access_token }).renewKnown(tokens);
  }

  #base(): AuthOptions {
    const { serverUrl, fetch: fetchFn, policy, overrides, trace } = this.#options;
    const onwaiting = (isWaiting: boolean): void => this.onwaiting?.(isWaiting);
    const ondiscovered = (found: Discovery): void => void (this.discovery = found);
    return { serverUrl, fetchFn, policy, overrides, trace, onwaiting, ondiscovered };
  }
}

function challengeOf(response: Response): Challenge | undefined {
  const all = parseChallenges(response.headers.get('www-authenticate'));
  return all.find(({ scheme }) => scheme === 'dpop') ?? all.find(({ scheme }) => scheme === 'bearer');
}

function fromChallenge(challenge: Challenge | undefined): Partial<AuthOptions> {
  const { resource_metadata: named, scope, algs } = challenge?.params ?? {};
  return {
    ...(named !== undefined && URL.canParse(named) && { resourceMetadataUrl: new URL(named) }),
    ...(scope !== undefined && { scope }),
    ...(challenge?.scheme === 'dpop' && { dpopAlgorithms: (algs ?? '').split(/\s+/).filter((alg) => alg !== '') }),
  };
}
