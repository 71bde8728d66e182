import type { HttpRequest } from '../../../transports/http/server/adapters/exchange.ts';
import type { Answer } from '../http/answer.ts';
import type { Authority } from '../issuing/authority.ts';
import type { AuthorizationRequest } from '../issuing/authorization-request.ts';
import type { Grant } from '../issuing/grants.ts';

/** Somebody who has logged in. */
export interface Person {
  /** Stable and never given to anybody else. */
  readonly sub: string;
  /** What they are called on pages. */
  readonly name?: string;
}

/** One visit of the browser on the way to an authorization. */
export interface LoginStep {
  readonly authority: Authority;
  readonly request: HttpRequest;
  readonly asked: AuthorizationRequest;
  /** What the browser has posted from a page of ours; `undefined` when it comes from elsewhere. */
  readonly form: URLSearchParams | undefined;
}

/** How people are known to the authorization server, and asked whether a program may act for them. */
export interface Login {
  /** Compares redirect URIs as texts without exception. */
  readonly exactRedirects?: boolean;
  /** Throws when it is not to be used with such a server. */
  start?(authority: Authority): void;
  /** Takes the browser one step further: a page, a redirect elsewhere, or the end with a code. */
  proceed(step: LoginStep): Promise<Answer>;
  /** Paths below the issuer that belong to the login, such as `/callback`. */
  readonly paths?: readonly string[];
  handle?(request: HttpRequest, authority: Authority): Promise<Answer>;
  /** Where somebody logs in who is to come back to `returnTo`, an address of this server. */
  loginUrl?(returnTo: string, authority: Authority): string;
  /** Who is logged in in this browser now. */
  identify?(request: HttpRequest, authority: Authority): Promise<Person | undefined>;
  /** Asked before a token is honoured: false when what the grant rests on is no more. */
  confirm?(grant: Grant, authority: Authority): Promise<boolean>;
  /** Told when a grant has ended. */
  ended?(grant: Grant, authority: Authority): Promise<void>;
}
