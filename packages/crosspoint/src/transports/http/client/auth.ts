import { TransportError } from '../../../protocol/errors.ts';
import type { FetchLike } from './options.ts';

/** What is known when a server has refused a request for want of a valid token. */
export interface UnauthorizedContext {
  readonly response: Response;
  readonly serverUrl: URL;
  readonly fetchFn: FetchLike;
}

/** A request that was refused with 401 or 403. */
export interface RefusedContext {
  readonly response: Response;
  readonly url: URL;
  /** The `Authorization` header that it was sent with. */
  readonly authorization: string | undefined;
  /** The same object for every attempt at one request. */
  readonly request: object;
}

/** Where the bearer token of every request comes from. */
export interface AuthProvider {
  token(): string | undefined | Promise<string | undefined>;
  /** Called once for a request that was refused with 401; the request is then sent once more. */
  onUnauthorized?(context: UnauthorizedContext): void | Promise<void>;
  /** The headers that authorize one request, instead of the token: for tokens that are bound to a key. */
  authorize?(request: { readonly method: string; readonly url: URL }): Promise<Readonly<Record<string, string>>>;
  /**
   * Instead of `onUnauthorized`, for whoever wants to decide how often. `retry`: the request is sent again. `redirected`: a user was sent to
   * log in, and `finish` will be called.
   */
  onRefused?(context: RefusedContext): Promise<'retry' | 'give-up' | 'redirected'>;
  /** Ends a login with the query that came back, or with the code alone. */
  finish?(answer: URLSearchParams | string, iss?: string): Promise<void>;
  /** Set by the transport. Told when a user is waited for, and when that is over: until then nothing is late. */
  onwaiting?: ((isWaiting: boolean) => void) | undefined;
  /** The extensions of the protocol that this way of logging in belongs to; they are declared to the server. */
  readonly extensions?: readonly string[] | undefined;
}

/** A provider that has tokens and no way to get more. */
export interface TokenHolder {
  tokens(): { readonly access_token: string } | undefined | Promise<{ readonly access_token: string } | undefined>;
}

/** The server wants a token, or another one. */
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

/** Ends a login that was begun by a refused request. */
export async function finishAuth(
  provider: AuthProvider | TokenHolder | undefined,
  answer: URLSearchParams | string,
  iss: string | undefined,
): Promise<void> {
  if (provider === undefined || !('finish' in provider) || provider.finish === undefined)
    throw new TypeError(
      'finishAuth ends an OAuth login: it needs an OAuth provider as authProvider, and there is none.',
    );
  await provider.finish(answer, iss);
}

/** The extensions that the way of logging in belongs to. */
export function extensionsOf(provider: AuthProvider | TokenHolder | undefined): readonly string[] {
  return (provider !== undefined && 'token' in provider ? provider.extensions : undefined) ?? [];
}

/** Passes on when a provider waits for a user. */
export function followWaiting(
  provider: AuthProvider | TokenHolder | undefined,
  tell: (isWaiting: boolean) => void,
): void {
  if (provider !== undefined && 'token' in provider && 'onwaiting' in provider) provider.onwaiting = tell;
}
