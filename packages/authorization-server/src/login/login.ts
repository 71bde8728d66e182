import type { HttpRequest } from 'crosspoint/server';
import type { Answer } from 'crosspoint/internal/auth-server';
import type { Authority } from '../issuing/authority.ts';
import type { AuthorizationRequest } from '../issuing/authorization-request.ts';
import type { Grant } from '../issuing/grants.ts';

/** A person who has logged in. */
export interface Person {
  /** Stable identifier, never reused for another person. */
  readonly sub: string;
  /** Name shown on pages. */
  readonly name?: string;
}

/** One request of the browser on the way to an authorization. */
export interface LoginStep {
  readonly authority: Authority;
  readonly request: HttpRequest;
  readonly asked: AuthorizationRequest;
  /** Form posted from one of our pages; `undefined` for other requests. */
  readonly form: URLSearchParams | undefined;
}

/** Authenticates people, and asks them whether a program may act for them. */
export interface Login {
  /** Compare redirect URIs as text, without the exception for loopback ports. */
  readonly exactRedirects?: boolean;
  /** Called once; throws when the login must not be used with this server. */
  start?(authority: Authority): void;
  /** Advances by one step: returns a page, a redirect, or the end with a code. */
  proceed(step: LoginStep): Promise<Answer>;
  /** Paths below the issuer that belong to the login, such as `/callback`. */
  readonly paths?: readonly string[];
  handle?(request: HttpRequest, authority: Authority): Promise<Answer>;
  /** Address of the login page, which returns to `returnTo`, an address of this server. */
  loginUrl?(returnTo: string, authority: Authority): string;
  /** The person logged in in this browser. */
  identify?(request: HttpRequest, authority: Authority): Promise<Person | undefined>;
  /** Called before a token is accepted; false when the login behind the grant has ended. */
  confirm?(grant: Grant, authority: Authority): Promise<boolean>;
  /** Called when a grant has ended. */
  ended?(grant: Grant, authority: Authority): Promise<void>;
}
