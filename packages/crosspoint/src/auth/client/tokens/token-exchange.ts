import * as oauth from 'oauth4webapi';
import type { JsonObject } from '../../../jsonrpc/message.ts';
import { redactText } from '../../../protocol/redaction/redact-text.ts';
import { OAuthError } from '../../oauth-error.ts';
import type { AuthorizationServerMetadata, OAuthClientInformationMixed, OAuthTokens } from '../../oauth-types.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import type { FetchLike } from '../../outbound/policy.ts';
import { clientAuthentication } from '../client-authentication.ts';
import { withProofs } from './dpop-proofs.ts';
import type { DpopSession } from './dpop-session.ts';
import { AuthFlowError } from '../flow-error.ts';
import { readJsonAnswer, stringIn } from '../discovery/json-answer.ts';
import type { AddClientAuthentication } from '../oauth-client-provider.ts';
import { errorMessage } from '../../../runtime/guard.ts';

/** One request to a token endpoint. */
export interface TokenRequest {
  readonly metadata: AuthorizationServerMetadata;
  readonly client: OAuthClientInformationMixed;
  readonly grantType: string;
  /** Parameters without grant type, client and authentication. */
  readonly params: URLSearchParams;
  readonly addClientAuthentication?: AddClientAuthentication | undefined;
  readonly dpop?: DpopSession | undefined;
  readonly fetch: FetchLike;
}

/** Sends the request. Rejects with the fault `unavailable` when there is no response; a refusal is a response. */
export async function sendTokenRequest(request: TokenRequest): Promise<Response> {
  const { metadata, client, grantType, params, dpop } = request;
  if (metadata.token_endpoint === undefined)
    throw new AuthFlowError(
      'server-metadata',
      `The authorization server ${metadata.issuer} names no token_endpoint. Its operator has to add it.`,
      {
        issuer: metadata.issuer,
      },
    );
  const fetch = dpop === undefined ? request.fetch : withProofs(request.fetch, dpop);
  try {
    return await oauth.genericTokenEndpointRequest(
      serverOf(metadata),
      { client_id: client.client_id },
      clientAuthentication(client, metadata, request.addClientAuthentication),
      grantType,
      params,
      {
        // Addresses are checked by the outbound policy, which checks more than the scheme.
        [oauth.allowInsecureRequests]: true,
        [oauth.customFetch]: (url, init) =>
          fetch(url, { method: init.method, headers: init.headers, body: String(init.body) }),
      },
    );
  } catch (error) {
    if (error instanceof OutboundError && (error.fault === 'network' || error.fault === 'timeout'))
      throw new AuthFlowError(
        'unavailable',
        `The authorization server ${metadata.issuer} cannot be reached. ${error.message} Stored credentials are kept; try again later.`,
        { issuer: metadata.issuer },
        { cause: error },
      );
    throw error;
  }
}

/**
 * Reads the response: tokens, an `OAuthError` for a refusal, or an `AuthFlowError` for an unusable response. Neither error contains a
 * token.
 */
export async function readTokenAnswer(
  metadata: AuthorizationServerMetadata,
  response: Response,
  otherTypes: readonly string[] = [],
): Promise<OAuthTokens> {
  const read = await readJsonAnswer(response);
  const value = read.kind === 'object' ? read.value : {};
  const code = stringIn(value, 'error');
  if (response.status >= 500 || response.status === 429 || code === 'temporarily_unavailable')
    throw new AuthFlowError(
      'unavailable',
      `The authorization server ${metadata.issuer} is unavailable (${response.status}). Stored credentials are kept; try again later.`,
      { issuer: metadata.issuer, status: response.status },
    );
  // Some servers refuse with status 200 and an error in the body.
  if (code !== undefined && value['access_token'] === undefined) throw refusal(metadata, response.status, code, value);
  if (!response.ok || read.kind === 'none')
    throw badAnswer(metadata, `${response.status}, ${read.kind === 'none' ? read.why : 'without an error code'}`);
  if (!/^[\x20-\x7e]*$/.test(stringIn(value, 'access_token') ?? ''))
    throw badAnswer(metadata, 'its token has characters that no header can hold');
  const { id_token: idToken, ...rest } = value;
  const types = Object.fromEntries(otherTypes.map((type) => [type.toLowerCase(), () => {}]));
  const plain = new Response(JSON.stringify({ ...rest, ...numericExpiry(value['expires_in']) }), {
    headers: { 'Content-Type': 'application/json' },
  });
  try {
    const tokens = await oauth.processGenericTokenEndpointResponse(serverOf(metadata), { client_id: 'any' }, plain, {
      recognizedTokenTypes: types,
    });
    // An ID token is passed on unread; nothing is decided by it.
    return { ...tokens, ...(typeof idToken === 'string' && { id_token: idToken }) };
  } catch (error) {
    throw badAnswer(metadata, redactText(errorMessage(error)));
  }
}

/** Sends a token request and reads its response. */
export async function exchangeTokens(request: TokenRequest): Promise<OAuthTokens> {
  return readTokenAnswer(request.metadata, await sendTokenRequest(request));
}

function refusal(metadata: AuthorizationServerMetadata, status: number, code: string, value: JsonObject): OAuthError {
  const said = stringIn(value, 'error_description');
  const description = said === undefined ? undefined : redactText(said.slice(0, 300));
  return new OAuthError(code, description, {
    status,
    errorUri: stringIn(value, 'error_uri'),
    message: `The authorization server ${metadata.issuer} refused: ${code}${description === undefined ? '' : ` (${description})`}.`,
  });
}

function badAnswer(metadata: AuthorizationServerMetadata, why: string): AuthFlowError {
  return new AuthFlowError(
    'token-answer',
    `The token endpoint of ${metadata.issuer} gave an unusable answer: ${why}.`,
    { issuer: metadata.issuer },
  );
}

/** Some servers send the number as text, others no number at all: without one, the token is used until it is refused. */
function numericExpiry(value: unknown): { expires_in: number | undefined } {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return { expires_in: typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined };
}

function serverOf(metadata: AuthorizationServerMetadata): oauth.AuthorizationServer {
  return metadata as unknown as oauth.AuthorizationServer;
}
