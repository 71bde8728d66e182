import { TransportError } from '../../protocol/errors.ts';
import type { FetchLike } from './client-options.ts';

/** What is known when a server has refused a request for want of a valid token. */
export interface UnauthorizedContext {
  readonly response: Response;
  readonly serverUrl: URL;
  readonly fetchFn: FetchLike;
}

/** Where the bearer token of every request comes from. */
export interface AuthProvider {
  token(): string | undefined | Promise<string | undefined>;
  /** Called once for a request that was refused with 401; the request is then sent once more. */
  onUnauthorized?(context: UnauthorizedContext): void | Promise<void>;
}

/** The part of a full OAuth provider that is used here: the tokens it has. */
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

export function hasOAuthFlow(provider: AuthProvider | TokenHolder | undefined): boolean {
  return provider !== undefined && !('token' in provider);
}

/** What `finishAuth` has to say while there is no OAuth flow to be finished. */
export function cannotFinishAuth(provider: AuthProvider | TokenHolder | undefined): Error {
  if (hasOAuthFlow(provider))
    return new Error(
      'finishAuth needs the OAuth flow of crosspoint/auth, which is not part of this version. Pass an authProvider with token() and onUnauthorized().',
    );
  return new TypeError('finishAuth ends an OAuth flow: it needs an OAuth provider as authProvider, and there is none.');
}
