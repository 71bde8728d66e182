import type { HttpRequest } from 'crosspoint/server';
import { OAuthFault, pageAnswer, redirectAnswer, type Answer } from 'crosspoint/internal/auth-server';
import type { Authority } from '../issuing/authority.ts';
import { denyAuthorization, grantCode } from '../issuing/authorization-response.ts';
import { BrowserSessions, isOwnForm, type BrowserSession } from './browser-session.ts';
import { askConsent, readConsent } from './consent-form.ts';
import type { Login, LoginStep, Person } from './login.ts';
import { loginPage } from './pages.ts';
import { readForm } from '../http/request-params.ts';
import { RateLimit } from '../http/rate-limit.ts';

export interface PasswordLoginOptions {
  /** The person with this name and password. Compare in constant time, against a slow digest. */
  readonly check: (name: string, password: string) => Person | undefined | Promise<Person | undefined>;
  /** Milliseconds that a browser stays logged in; 8 hours when absent. */
  readonly sessionMs?: number;
  /**
   * Most wrong passwords from one address for one account in 15 minutes; ten times as many from all addresses together, so that no single
   * attacker can lock a person out. 10 when absent.
   */
  readonly maxFailures?: number;
}

const WRONG = 'Name or password is wrong.';

/** A login with name and password on a page of the authorization server, where each program is approved as well. */
export function passwordLogin(options: PasswordLoginOptions): Login {
  return new LoginByPassword(options);
}

class LoginByPassword implements Login {
  readonly paths: readonly string[] = ['login'];
  readonly #options: PasswordLoginOptions;
  readonly #sessions: BrowserSessions<Person>;
  #limits: { readonly ofOne: RateLimit; readonly ofAll: RateLimit } | undefined;

  constructor(options: PasswordLoginOptions) {
    this.#options = options;
    this.#sessions = new BrowserSessions('login', options.sessionMs ?? 8 * 3_600_000);
  }

  async proceed(step: LoginStep): Promise<Answer> {
    const { authority, request, asked, form } = step;
    const action = form?.get('action');
    if (action === 'login') return this.#logIn(step);
    const session = await this.#sessions.find(request, authority);
    if (session === undefined) return pageAnswer(200, loginPage(asked));
    if (action === undefined || action === null) return ask(step, session);
    if (action === 'switch') {
      const cookie = await this.#sessions.end(session, authority);
      return pageAnswer(200, loginPage(asked), { 'Set-Cookie': cookie });
    }
    const choice = await readConsent(step, session.id);
    if (choice === undefined) throw new OAuthFault('access_denied', 'The page is too old: go back and try again.');
    return choice === 'approve' ? grantCode(authority, asked, session.value) : denyAuthorization(authority, asked);
  }

  /** The login page for requests without a client. */
  async handle(request: HttpRequest, authority: Authority): Promise<Answer> {
    const returnTo = readReturn(request.query, authority);
    if (request.method === 'GET') return pageAnswer(200, loginPage(undefined));
    if (!isOwnForm(request, authority))
      throw new OAuthFault('access_denied', 'The form was not sent from a page of this server.');
    const entered = await this.#enter(await readForm(request), request, authority);
    if (entered === undefined) return pageAnswer(401, loginPage(undefined, WRONG));
    return redirectAnswer(returnTo, { 'Set-Cookie': entered.cookie });
  }

  loginUrl(returnTo: string, { base }: Authority): string {
    return `${base}/login?return_to=${encodeURIComponent(returnTo)}`;
  }

  async identify(request: HttpRequest, authority: Authority): Promise<Person | undefined> {
    return (await this.#sessions.find(request, authority))?.value;
  }

  async #logIn(step: LoginStep): Promise<Answer> {
    const entered = await this.#enter(step.form, step.request, step.authority);
    if (entered === undefined) return pageAnswer(401, loginPage(step.asked, WRONG));
    return ask(step, entered.session, entered.cookie);
  }

  /** Checks the form and starts a session; `undefined` when the password is wrong. Throws after too many failures. */
  async #enter(
    form: URLSearchParams | undefined,
    request: HttpRequest,
    authority: Authority,
  ): Promise<{ session: BrowserSession<Person>; cookie: string } | undefined> {
    const { check, maxFailures = 10 } = this.#options;
    const name = form?.get('username') ?? '';
    const windowMs = 900_000;
    this.#limits ??= {
      ofOne: new RateLimit(authority.store, 'password', { max: maxFailures, windowMs }, authority.now),
      ofAll: new RateLimit(authority.store, 'password-all', { max: 10 * maxFailures, windowMs }, authority.now),
    };
    const account = countedName(name);
    const from = `${authority.callerOf(request)} ${account}`;
    await this.#limits.ofOne.admit(from);
    await this.#limits.ofAll.admit(account);
    const person = await check(name, form?.get('password') ?? '');
    if (person === undefined) return undefined;
    await this.#limits.ofOne.forget(from);
    return this.#sessions.begin(person, authority);
  }
}

function ask(step: LoginStep, { id, value }: BrowserSession<Person>, cookie?: string): Promise<Answer> {
  const facts = { person: value.name ?? value.sub, canSwitch: true };
  return askConsent(step, id, { ...facts, ...(cookie !== undefined && { headers: { 'Set-Cookie': cookie } }) });
}

/**
 * The name under which failures are counted. `check` may accept several spellings of one account, which would otherwise be counted
 * separately.
 */
function countedName(name: string): string {
  return name
    .slice(0, 200)
    .normalize('NFKC')
    .replaceAll(/[\p{C}\s]+/gu, '')
    .toLowerCase();
}

/** The address to return to; only on this server, so that the page is no open redirector. */
function readReturn(query: string, { base }: Authority): string {
  const returnTo = new URLSearchParams(query).get('return_to') ?? '/';
  const { origin } = new URL(base);
  if (!URL.canParse(returnTo, origin) || new URL(returnTo, origin).origin !== origin)
    throw new OAuthFault('invalid_request', 'The parameter return_to must be an address of this server.');
  return new URL(returnTo, origin).href;
}
