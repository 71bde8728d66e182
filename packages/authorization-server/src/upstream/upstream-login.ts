import type { AuthInfo, JsonObject } from 'crosspoint';
import { asError, isLoopbackName, sha256Base64Url } from 'crosspoint/internal';
import type { HttpRequest } from 'crosspoint/server';
import { OAuthError } from 'crosspoint/auth';
import { OAuthFault, pageAnswer, randomText, redirectAnswer, type Answer } from 'crosspoint/internal/auth-server';
import { Attempts } from './attempts.ts';
import type { Authority } from '../issuing/authority.ts';
import {
  readAddressee,
  readAuthorizationRequest,
  type AuthorizationRequest,
} from '../issuing/authorization-request.ts';
import { denyAuthorization, grantCode, refuseAuthorization } from '../issuing/authorization-response.ts';
import { BrowserSessions, type BrowserSession } from '../login/browser-session.ts';
import { askConsent, readConsent } from '../login/consent-form.ts';
import type { Grant } from '../issuing/grants.ts';
import type { Login, LoginStep, Person } from '../login/login.ts';
import { isPublic } from '../clients/oauth-client.ts';
import { InvalidTokenError } from 'crosspoint/auth/server';
import { messagePage } from '../login/pages.ts';
import { UpstreamClient, type UpstreamAttempt, type UpstreamOptions, type UpstreamTokens } from './upstream-client.ts';
import { UpstreamGrants } from './upstream-grants.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const WORKING_DAY = 8 * HOUR;
const NO_BROWSER = 'nobody yet';

export interface UpstreamLoginOptions extends UpstreamOptions {
  /** Maps upstream tokens to a person; subject and name of the ID token when absent. */
  readonly identify?: (tokens: UpstreamTokens) => Person | Promise<Person>;
  /** Milliseconds between checks of a token upstream, where there is an introspection endpoint; one minute when absent. */
  readonly recheckMs?: number;
}

/** An upstream login, with access to its tokens. */
export interface UpstreamLogin extends Login {
  /** The caller's token for the upstream API, refreshed when due. Rejects when the upstream login has ended. */
  accessToken(authInfo: AuthInfo | undefined): Promise<string>;
}

/** Approvals given in a browser: digests of program, address, scopes and resource. */
interface Agreed {
  readonly clients: readonly string[];
  /** Person logged in in the browser, and until when that counts. */
  readonly person?: Person;
  readonly personUntil?: number;
}

interface Attempt extends UpstreamAttempt {
  readonly query: string;
  /** Digest of what the user approved. */
  readonly agreement: string;
  /** The browser in which it was approved. */
  readonly browser: string;
}

/**
 * People log in at another authorization server, where this program is one client for everybody. So that no program profits from what
 * another was allowed there, each is approved here first, the answer is bound to the browser that approved, and tokens are our own, for our
 * own resource. Upstream tokens never leave this program.
 */
export function upstreamLogin(options: UpstreamLoginOptions): UpstreamLogin {
  return new LoginElsewhere(options);
}

/** Parts made once the authorization server is known. */
interface Started {
  readonly authority: Authority;
  readonly client: UpstreamClient;
  readonly grants: UpstreamGrants;
  readonly attempts: Attempts<Attempt>;
}

class LoginElsewhere implements UpstreamLogin {
  readonly exactRedirects = true;
  readonly paths: readonly string[] = ['callback'];
  readonly #options: UpstreamLoginOptions;
  readonly #browsers = new BrowserSessions<Agreed>('agreed', 90 * DAY);
  #started: Started | undefined;

  constructor(options: UpstreamLoginOptions) {
    this.#options = options;
  }

  start(authority: Authority): void {
    const client = new UpstreamClient(this.#options, authority.now);
    const grants = new UpstreamGrants(authority, client, this.#options.recheckMs ?? 60_000);
    this.#started = { authority, client, grants, attempts: new Attempts(authority.store, 'oauth:upstream') };
  }

  async proceed(step: LoginStep): Promise<Answer> {
    const { authority, request, asked, form } = step;
    const { name, scopes } = this.#options;
    const browser = await this.#browsers.find(request, authority);
    const who = browser?.id ?? NO_BROWSER;
    if (form === undefined) {
      const isKnown = browser?.value.clients.includes(await agreementOf(asked)) === true;
      if (isKnown && mayRemember(asked)) return this.#forward(step, browser);
      return askConsent(step, who, { upstream: { name, scopes } });
    }
    const choice = await readConsent(step, who);
    if (choice === undefined) throw new OAuthFault('access_denied', 'The page is too old: go back and try again.');
    return choice === 'approve' ? this.#agree(step, browser) : denyAuthorization(authority, asked);
  }

  async handle(request: HttpRequest, authority: Authority): Promise<Answer> {
    const params = new URLSearchParams(request.query);
    const attempt = await this.#parts.attempts.take(params.get('state'));
    const browser = await this.#browsers.find(request, authority);
    if (attempt === undefined || browser?.id !== attempt.browser)
      return refusalPage('The login was not started in this browser, or it took too long. Start again.');
    const asked = await findAgreed(attempt, authority);
    if (asked === undefined) return refusalPage('The approved request has changed in the meantime. Start again.');
    try {
      const tokens = await this.#parts.client.finish(params, attempt);
      const upstream = await authority.secret.seal(tokens as object as JsonObject);
      const { identify = fromIdToken } = this.#options;
      const person = await identify(tokens);
      const personUntil = authority.now() + WORKING_DAY;
      await this.#browsers.update(browser, { ...browser.value, person, personUntil }, authority);
      return await grantCode(authority, asked, person, { upstream });
    } catch (error) {
      if (error instanceof OAuthError) return refuseAuthorization(authority, asked, error);
      if (params.get('error') === 'access_denied') return denyAuthorization(authority, asked);
      authority.onproblem(asError(error));
      const message = `The login at ${this.#options.name} has failed.`;
      return refuseAuthorization(authority, asked, new OAuthError('server_error', message));
    }
  }

  async identify(request: HttpRequest, authority: Authority): Promise<Person | undefined> {
    const { person, personUntil = 0 } = (await this.#browsers.find(request, authority))?.value ?? {};
    return personUntil > authority.now() ? person : undefined;
  }

  async confirm(grant: Grant): Promise<boolean> {
    // Grants without an upstream login: client credentials and assertions.
    if (grant.upstream === undefined) return true;
    return (await this.#parts.grants.tokens(grant)) !== undefined;
  }

  ended(grant: Grant): Promise<void> {
    return this.#parts.grants.forget(grant);
  }

  async accessToken(authInfo: AuthInfo | undefined): Promise<string> {
    const { authority, grants } = this.#parts;
    const found = authInfo && (await authority.grants.find(authInfo.token));
    const tokens = found && (await grants.tokens(found.grant));
    if (tokens === undefined) throw new InvalidTokenError(`The token has no login at ${this.#options.name}.`);
    return tokens.accessToken;
  }

  async #agree(step: LoginStep, known: BrowserSession<Agreed> | undefined): Promise<Answer> {
    const { authority, request, asked } = step;
    const clients = [...new Set([...(known?.value.clients ?? []), await agreementOf(asked)])].slice(-100);
    // Approving needs no login here, so anybody could fill the store: the record is kept for one hour, and for long only after a login.
    const soon = { ttlMs: HOUR, leftBy: authority.callerOf(request) };
    if (known) {
      await this.#browsers.update(known, { ...known.value, clients }, authority, known.value.person ? {} : soon);
      return this.#forward(step, known);
    }
    const { session, cookie } = await this.#browsers.begin({ clients }, authority, soon);
    return this.#forward(step, session, cookie);
  }

  /** The state is created here, after the approval, and is valid only in the browser that approved. */
  async #forward(step: LoginStep, browser: BrowserSession<Agreed>, cookie?: string): Promise<Answer> {
    const { authority, request, asked } = step;
    const attempt: Attempt = {
      state: randomText(),
      verifier: randomText(),
      redirectUri: `${authority.base}/callback`,
      query: asked.query,
      agreement: await agreementOf(asked),
      browser: browser.id,
    };
    await this.#parts.attempts.keep(attempt, { leftBy: authority.callerOf(request) });
    const url = await this.#parts.client.begin(attempt);
    return redirectAnswer(url, cookie === undefined ? {} : { 'Set-Cookie': cookie });
  }

  get #parts(): Started {
    if (this.#started === undefined)
      throw new TypeError('The login has no authorization server: pass it to createAuthorizationServer() first.');
    return this.#started;
  }
}

/** The request that the user approved before the upstream login; `undefined` when its meaning has changed since. */
async function findAgreed(attempt: Attempt, authority: Authority): Promise<AuthorizationRequest | undefined> {
  try {
    const to = await readAddressee(attempt.query, authority);
    const asked = readAuthorizationRequest(attempt.query, to, authority);
    return (await agreementOf(asked)) === attempt.agreement ? asked : undefined;
  } catch (error) {
    if (error instanceof OAuthError) return undefined;
    throw error;
  }
}

function refusalPage(message: string): Answer {
  return pageAnswer(403, messagePage('This request failed', message));
}

/** Digest of what was approved: another address, scope or resource needs another approval. */
function agreementOf({ client, redirectUri, scopes, resource }: AuthorizationRequest): Promise<string> {
  return sha256Base64Url(JSON.stringify([client.client_id, redirectUri, [...scopes].sort(), resource]));
}

/** Any program on the user's computer can use the id of a public client that listens there, so the user is asked each time. */
function mayRemember({ client, redirectUri }: AuthorizationRequest): boolean {
  return !isPublic(client) || !isLoopbackName(new URL(redirectUri).hostname);
}

function fromIdToken({ claims }: UpstreamTokens): Person {
  const { sub, name } = claims ?? {};
  if (typeof sub !== 'string')
    throw new TypeError('The upstream server sent no ID token: request the scope openid, or pass identify().');
  return { sub, ...(typeof name === 'string' && { name }) };
}
