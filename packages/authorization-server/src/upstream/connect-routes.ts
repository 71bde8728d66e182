import { asError, atOnce } from 'crosspoint/internal';
import type { HttpRequest } from 'crosspoint/server';
import { pageAnswer, randomText, redirectAnswer, type Answer, type Routes } from 'crosspoint/internal/auth-server';
import type { Attempts } from './attempts.ts';
import type { ConnectLinks, LinkOwner } from './connect-links.ts';
import type { Person } from '../login/login.ts';
import { messagePage } from '../login/pages.ts';
import type { ThirdPartyOptions } from './third-party.ts';
import type { ThirdPartyTokens } from './third-party-tokens.ts';
import type { UpstreamAttempt, UpstreamClient } from './upstream-client.ts';

interface Parts {
  readonly id: string;
  readonly base: string;
  readonly client: UpstreamClient;
  readonly tokens: ThirdPartyTokens;
  readonly links: ConnectLinks;
  readonly attempts: Attempts<ConnectAttempt>;
  readonly people: ThirdPartyOptions['people'];
  readonly onproblem: (problem: Error) => void;
}

/** A stored attempt, with its user and the link that began it. */
export interface ConnectAttempt extends UpstreamAttempt, LinkOwner {
  readonly link: string;
}

/**
 * Two pages: the link that the user opens, and the redirect from the third party. Both check that the person at the browser is the one who
 * was asked; a person who was sent somebody else's link is refused before anything happens.
 */
export class ConnectRoutes implements Routes {
  readonly onproblem: (problem: Error) => void;
  readonly #parts: Parts;
  readonly #path: string;

  constructor(parts: Parts) {
    this.onproblem = parts.onproblem;
    this.#parts = parts;
    this.#path = `${new URL(parts.base).pathname.replace(/\/$/, '')}/connect/${parts.id}`;
  }

  urlOf(link: string): string {
    return `${this.#parts.base}/connect/${this.#parts.id}?link=${link}`;
  }

  serves(path: string): boolean {
    return path === this.#path || path === `${this.#path}/callback`;
  }

  async answer(request: HttpRequest): Promise<Answer> {
    if (request.method !== 'GET') return page(405, 'This page accepts GET requests only.');
    const params = new URLSearchParams(request.query);
    return request.path === this.#path ? this.#open(request, params) : this.#comeBack(request, params);
  }

  async #open(request: HttpRequest, params: URLSearchParams): Promise<Answer> {
    const { links, people, client } = this.#parts;
    const link = params.get('link') ?? '';
    const owner = await links.ownerOf(link);
    if (owner === undefined) return page(404, 'The link has expired or was opened before. Ask for it again.');
    const person = await people.identify(request);
    if (person === undefined) {
      const login = atOnce(people.loginUrl(this.urlOf(link)), 'loginUrl');
      return login === undefined ? page(403, 'Log in first, and open the link again.') : redirectAnswer(login);
    }
    if (!isSamePerson(person, owner, people.issuer)) return this.#refuseOther();
    if (!(await links.open(link))) return page(404, 'The link was opened before. Ask for it again.');
    const { base, id } = this.#parts;
    const attempt: ConnectAttempt = {
      ...owner,
      link,
      state: randomText(),
      verifier: randomText(),
      redirectUri: `${base}/connect/${id}/callback`,
    };
    await this.#parts.attempts.keep(attempt);
    return redirectAnswer(await client.begin(attempt));
  }

  async #comeBack(request: HttpRequest, params: URLSearchParams): Promise<Answer> {
    const { people, client, tokens, links, onproblem } = this.#parts;
    const attempt = await this.#parts.attempts.take(params.get('state'));
    if (attempt === undefined)
      return page(403, 'The login was not started here, or it took too long. Ask for the link again.');
    if (!isSamePerson(await people.identify(request), attempt, people.issuer)) return this.#refuseOther();
    try {
      await tokens.keep(attempt, await client.finish(params, attempt));
    } catch (error) {
      onproblem(asError(error));
      return page(502, `${client.options.name} was not connected. Go back to your program and try again.`);
    }
    await links.finish(attempt.link);
    return page(200, `${client.options.name} is connected. You can close this page and go back to your program.`);
  }

  #refuseOther(): Answer {
    this.onproblem(
      new Error(
        `A link for ${this.#parts.client.options.name} was opened by another person than the one it was made for.`,
      ),
    );
    return page(
      403,
      'This link was made for another person. If somebody sent it to you, they may be trying to use your account.',
    );
  }
}

/** Compares the subject, and the issuer where the token names one. */
function isSamePerson(person: Person | undefined, owner: LinkOwner, issuer: string | undefined): boolean {
  return person?.sub === owner.sub && (issuer === undefined || owner.iss === '' || owner.iss === issuer);
}

function page(status: number, message: string): Answer {
  return pageAnswer(status, messagePage(status === 200 ? 'Done' : 'This request failed', message));
}
