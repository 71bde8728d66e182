import { TransportError } from '../../../protocol/errors.ts';
import type { FetchLike } from './options.ts';

/** Context of a request that was refused with 401. */
export interface UnauthorizedContext {
  readonly response: Response;
  readonly serverUrl: URL;
  readonly fetchFn: FetchLike;
}

/** Context of a request that was refused with 401 or 403. */
export interface RefusedContext {
  readonly response: Response;
  readonly url: URL;
  /** `Authorization` header that the request was sent with. */
  readonly authorization: string | undefined;
  /** Identifies the request: the same object for each of its attempts. */
  readonly request: object;
}

/** Source of the bearer token for every request. */
export interface AuthProvider {
  token(): string | undefined | Promise<string | undefined>;
  /** Called once per request that is refused with 401; the request is then sent once more. */
  onUnauthorized?(context: UnauthorizedContext): void | Promise<void>;
  /** Headers that authorize one request, in place of `token`: for tokens that are bound to a key (DPoP). */
  authorize?(request: { readonly method: string; readonly url: URL }): Promise<Readonly<Record<string, string>>>;
  /**
   * Replaces `onUnauthorized`, for providers that decide how often to retry. `retry`: the request is sent again. `redirected`: the user was
   * sent to log in, and `finish` will be called.
   */
  onRefused?(context: RefusedContext): Promise<'retry' | 'give-up' | 'redirected'>;
  /** Completes a login with the query of the redirect, or with the code alone. */
  finish?(answer: URLSearchParams | string, iss?: string): Promise<void>;
  /**
   * Set by the transport. Called with `true` when the provider waits for a user and with `false` when the wait is over; timeouts are
   * suspended in between.
   */
  onwaiting?: ((isWaiting: boolean) => void) | undefined;
  /** Protocol extensions that this kind of login belongs to; the client declares them. */
  readonly extensions?: readonly string[] | undefined;
}

/** A provider with a stored token and no way to get another one. */
export interface TokenHolder {
  tokens(): { readonly access_token: string } | undefined | Promise<{ readonly access_token: string } | undefined>;
}

/** The server refused the request for want of a valid token. */
export class UnauthorizedError extends TransportError {
  override readonly name: string = 'UnauthorizedError';

  constructor(message = 'Unauthorized', details: Readonly<Record<string, unknown>> = {}, options?: ErrorOptions) {
    super('unauthorized', message, details, options);
  }
}

export async function bearerToken(provider: AuthProvider | TokenHolder | undefined): Promise<string | undefined> {
  if (provider === undefined) return undefined;
  return 'token' in provider ? provider.token() : (await provider.tokens())?.access_token;
}

/** Completes a login that a refused request started. */
export async function finishAuth(
  provider: AuthProvider | TokenHolder | undefined,
  answer: URLSearchParams | string,
  iss: string | undefined,
): Promise<void> {
  if (provider === undefined || !('finish' in provider) || provider.finish === undefined)
    throw new TypeError('finishAuth() needs an OAuth provider: pass one as authProvider.');
  await provider.finish(answer, iss);
}

/** Protocol extensions that the provider's kind of login belongs to. */
export function extensionsOf(provider: AuthProvider | TokenHolder | undefined): readonly string[] {
  return (provider !== undefined && 'token' in provider ? provider.extensions : undefined) ?? [];
}

/** Forwards the provider's `onwaiting` calls to `tell`. */
export function followWaiting(
  provider: AuthProvider | TokenHolder | undefined,
  tell: (isWaiting: boolean) => void,
): void {
  if (provider !== undefined && 'token' in provider && 'onwaiting' in provider) provider.onwaiting = tell;
}
