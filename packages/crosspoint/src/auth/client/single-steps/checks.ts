/** Single checks of a login, under the names of the official SDK. */
import { scopeCovers } from '../../resource-identifier.ts';
import { OAuthError } from '../../oauth-error.ts';
import type { OAuthClientMetadata } from '../../oauth-types.ts';
import { AuthFlowError, IssuerMismatchError } from '../flow-error.ts';
import type { OAuthClientProvider } from '../oauth-client-provider.ts';

const SHOWN = 200;
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a text is the https address of a document, as a client id by metadata document is. */
export function isHttpsUrl(value?: string): boolean {
  if (value === undefined || !URL.canParse(value)) return false;
  const { protocol, pathname } = new URL(value);
  return protocol === 'https:' && pathname !== '/';
}

/** Parameters of the token request for an authorization code. */
export function prepareAuthorizationCodeRequest(
  authorizationCode: string,
  codeVerifier: string,
  redirectUri: string | URL,
): URLSearchParams {
  return new URLSearchParams({
    grant_type: 'authorization_code',
    code: authorizationCode,
    code_verifier: codeVerifier,
    redirect_uri: String(redirectUri),
  });
}

/** Whether the first contains all scopes of the second, and more. */
export function isStrictScopeSuperset(union: string | undefined, current: string | undefined): boolean {
  return scopeCovers(union, current) && !scopeCovers(current, union);
}

/** The client metadata, with the redirect address where it lists none. */
export function resolveClientMetadata(
  provider: Pick<OAuthClientProvider, 'clientMetadata' | 'redirectUrl'>,
): OAuthClientMetadata {
  const { clientMetadata, redirectUrl } = provider;
  if (clientMetadata.redirect_uris.length > 0 || redirectUrl === undefined) return clientMetadata;
  return { ...clientMetadata, redirect_uris: [String(redirectUrl)] };
}

/** Throws when the issuer of a redirect is not the expected one. */
export function validateAuthorizationResponseIssuer(options: {
  iss: string | undefined;
  expectedIssuer: string | undefined;
  issParameterSupported: boolean;
}): void {
  const { iss, expectedIssuer, issParameterSupported } = options;
  if (iss === undefined ? issParameterSupported : iss !== expectedIssuer)
    throw new IssuerMismatchError('authorization_response', expectedIssuer ?? '', iss);
}

/** The token endpoint is not https, so secrets would be sent unencrypted. */
export class InsecureTokenEndpointError extends AuthFlowError {
  readonly tokenEndpoint: string;

  constructor(tokenEndpoint: string) {
    super('server-metadata', `The token endpoint ${tokenEndpoint} is not https, so nothing secret is sent to it.`, {
      tokenEndpoint,
    });
    this.tokenEndpoint = tokenEndpoint;
  }
}

/** The endpoint as a URL. Throws unless it is https, or on this machine. */
export function assertSecureTokenEndpoint(tokenEndpoint: string | URL): URL {
  const url = new URL(tokenEndpoint);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname))) return url;
  throw new InsecureTokenEndpointError(url.href);
}

/** The error in the response of an authorization server. */
export async function parseErrorResponse(input: Response | string): Promise<OAuthError> {
  const [status, text] = typeof input === 'string' ? [undefined, input] : [input.status, await input.text()];
  const { error: code, error_description: description, error_uri: uri } = readObject(text);
  if (typeof code !== 'string') {
    const message = `${status === undefined ? '' : `HTTP ${status}: `}the answer is no OAuth error: ${text.slice(0, SHOWN)}`;
    return new OAuthError('server_error', message, { status, message });
  }
  const errorUri = typeof uri === 'string' ? uri : undefined;
  return new OAuthError(code, typeof description === 'string' ? description : undefined, { status, errorUri });
}

function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
