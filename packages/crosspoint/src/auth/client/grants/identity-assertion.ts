import type { AuthorizationServerMetadata, OAuthClientInformation } from '../../oauth-types.ts';
import { createOutboundFetch } from '../../outbound/outbound-fetch.ts';
import { policyFor, type FetchLike } from '../../outbound/policy.ts';
import { discoverServer } from '../discovery/discover-server.ts';
import { AuthFlowError } from '../flow-error.ts';
import { readTokenAnswer, sendTokenRequest } from '../tokens/token-exchange.ts';

const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

export interface RequestJwtAuthGrantOptions {
  /** Token endpoint of the identity provider. */
  readonly tokenEndpoint: string | URL;
  /** Issuer of the server's authorization server. */
  readonly audience: string | URL;
  readonly resource: string | URL;
  /** ID token from the user's login to this program. */
  readonly idToken: string;
  /** `…:id_token` when absent; `…:saml2` for SAML. */
  readonly subjectTokenType?: string | undefined;
  /** Id of this program at the identity provider. */
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly scope?: string | undefined;
  readonly fetchFn?: FetchLike | undefined;
}

export interface JwtAuthGrantResult {
  readonly jwtAuthGrant: string;
  readonly expiresIn?: number | undefined;
  readonly scope?: string | undefined;
}

/** Asks an identity provider for an identity assertion (ID-JAG) for one authorization server and one resource, RFC 8693. */
export async function requestJwtAuthorizationGrant(options: RequestJwtAuthGrantOptions): Promise<JwtAuthGrantResult> {
  const endpoint = new URL(options.tokenEndpoint);
  const metadata: AuthorizationServerMetadata = { issuer: endpoint.origin, token_endpoint: endpoint.href };
  const { clientId: client_id, clientSecret: client_secret, scope } = options;
  const client: OAuthClientInformation = { client_id, ...(client_secret !== undefined && { client_secret }) };
  const params = new URLSearchParams({
    requested_token_type: ID_JAG,
    audience: String(options.audience),
    resource: String(options.resource),
    subject_token: options.idToken,
    subject_token_type: options.subjectTokenType ?? ID_TOKEN,
    ...(scope !== undefined && { scope }),
  });
  const fetch = createOutboundFetch(policyFor(endpoint, options.fetchFn && { fetch: options.fetchFn }));
  const response = await sendTokenRequest({ metadata, client, grantType: TOKEN_EXCHANGE, params, fetch });
  const answer = await readTokenAnswer(metadata, response, ['N_A']);
  const issued = (answer as { issued_token_type?: unknown }).issued_token_type;
  if (issued !== ID_JAG)
    throw new AuthFlowError(
      'token-answer',
      `The identity provider ${endpoint.origin} did not issue an identity assertion (${String(issued).slice(0, 100)}). Its administrator has to allow it for this client and server.`,
    );
  return { jwtAuthGrant: answer.access_token, expiresIn: answer.expires_in, scope: answer.scope };
}

export interface DiscoverAndRequestJwtAuthGrantOptions extends Omit<RequestJwtAuthGrantOptions, 'tokenEndpoint'> {
  /** Issuer of the identity provider. */
  readonly idpUrl: string | URL;
}

/** Like `requestJwtAuthorizationGrant`, for an identity provider of which only the issuer is known. */
export async function discoverAndRequestJwtAuthGrant(
  options: DiscoverAndRequestJwtAuthGrantOptions,
): Promise<JwtAuthGrantResult> {
  const { idpUrl, ...rest } = options;
  const issuer = typeof idpUrl === 'string' ? idpUrl : idpUrl.href.replace(/\/$/, '');
  const fetch = createOutboundFetch(policyFor(issuer, options.fetchFn && { fetch: options.fetchFn }));
  const found = await discoverServer(issuer, issuer, { fetch });
  if (found?.metadata.token_endpoint === undefined)
    throw new AuthFlowError(
      'server-metadata',
      `The identity provider ${issuer} has no metadata with a token_endpoint: pass it to requestJwtAuthorizationGrant() as tokenEndpoint.`,
    );
  return requestJwtAuthorizationGrant({ ...rest, tokenEndpoint: found.metadata.token_endpoint });
}
