import type { OAuthAuthorizer } from '../../auth/client/oauth-authorizer.ts';
import type { OAuthClientProvider } from '../../auth/client/oauth-client-provider.ts';
import type { ServerOverrides } from '../../auth/client/discovery/discovery.ts';
import type { OutboundPolicy } from '../../auth/outbound/policy.ts';
import type { Trace } from '../../auth/client/auth-step.ts';
import type { AuthProvider, TokenHolder } from '../../transports/http/client/auth.ts';
import type { FetchLike, HttpClientOptions } from '../../transports/http/client/options.ts';

/** Login options of an HTTP client, beside those of its transport. */
export interface AuthorizationOptions {
  /** Source of tokens: a function that returns one, or a complete OAuth provider. */
  authProvider?: AuthProvider | OAuthClientProvider | TokenHolder | undefined;
  /** Rules for the addresses that a server may name for the login. */
  outbound?: OutboundPolicy | undefined;
  /** Corrections for a server with wrong authorization metadata. */
  authOverrides?: ServerOverrides | undefined;
  /** Called with every step of a login. */
  onauthstep?: Trace | undefined;
}

/** Options as the transport takes them. The OAuth code is imported when the first request is about to be sent. */
export function withAuthorizer<T extends Omit<HttpClientOptions, 'authProvider'> & AuthorizationOptions>(
  url: URL | string,
  options: T,
): Omit<T, 'authProvider'> & Pick<HttpClientOptions, 'authProvider'> {
  const { authProvider: given } = options;
  if (!isOAuthProvider(given)) return { ...options, authProvider: given };
  return { ...options, authProvider: lazyAuthorizer(given, url, options) };
}

function isOAuthProvider(given: AuthorizationOptions['authProvider']): given is OAuthClientProvider {
  return given !== undefined && !('token' in given) && 'redirectToAuthorization' in given;
}

function lazyAuthorizer(
  provider: OAuthClientProvider,
  serverUrl: URL | string,
  options: AuthorizationOptions & { fetch?: FetchLike | undefined },
): AuthProvider {
  let loading: Promise<OAuthAuthorizer> | undefined;
  const load = async (): Promise<OAuthAuthorizer> => {
    const { OAuthAuthorizer: Authorizer } = await import('../../auth/client/oauth-authorizer.ts');
    const { fetch, outbound: policy, authOverrides: overrides, onauthstep: trace } = options;
    const made = new Authorizer(provider, { serverUrl, fetch, policy, overrides, trace });
    made.onwaiting = (isWaiting) => authProvider.onwaiting?.(isWaiting);
    return made;
  };
  const authorizer = (): Promise<OAuthAuthorizer> => (loading ??= load());
  const authProvider: AuthProvider = {
    onwaiting: undefined,
    token: async () => (await authorizer()).token(),
    authorize: async (request) => (await authorizer()).authorize(request),
    onRefused: async (context) => (await authorizer()).onRefused(context),
    finish: async (answer, iss) => (await authorizer()).finish(answer, iss),
    extensions: provider.extensions,
  };
  return authProvider;
}
