import type { HttpRequest } from 'crosspoint/server';
import {
  coversScopes,
  jsonAnswer,
  OAuthFault,
  randomText,
  readScopes,
  type Answer,
} from 'crosspoint/internal/auth-server';
import type { Authority } from './authority.ts';
import { readResource } from './authorization-request.ts';
import { authenticateClient } from '../clients/client-authentication.ts';
import { limitScopes, readRequestedScopes } from '../clients/client-scopes.ts';
import { CLIENT_CREDENTIALS, mayUseGrant } from './grant-types.ts';
import type { Grant, TokenAnswer } from './grants.ts';
import { isPublic, type KnownClient } from '../clients/oauth-client.ts';
import { readForm, requireParam } from '../http/request-params.ts';

/** A token request of an authenticated client. */
export interface TokenRequest {
  readonly client: KnownClient;
  readonly form: URLSearchParams;
  readonly authority: Authority;
  /** Thumbprint of the key of the request's DPoP proof, if it has one. */
  readonly jkt: string | undefined;
}

/**
 * Handles the token requests of one grant type. Called only for configured clients whose `grant_types` list it; the handler decides about
 * scopes.
 */
export type GrantHandler = (request: TokenRequest) => Promise<object>;

export async function answerToken(
  request: HttpRequest,
  authority: Authority,
  further: ReadonlyMap<string, GrantHandler>,
): Promise<Answer> {
  const form = await readForm(request);
  const type = requireParam(form, 'grant_type');
  const handler = BUILT_IN.get(type) ?? further.get(type);
  if (handler === undefined)
    throw new OAuthFault(
      'unsupported_grant_type',
      'The grant_type is not supported: use one of grant_types_supported of the metadata.',
    );
  const client = await authenticateClient(request, form, authority);
  if (!mayUseGrant(client, type))
    throw new OAuthFault('unauthorized_client', `The client may not use the grant ${type}.`);
  const proof = request.header('dpop');
  const facts = { method: 'POST', url: `${authority.base}/token`, token: undefined };
  const jkt = proof === undefined ? undefined : await checkProof(authority, proof, facts);
  return jsonAnswer(200, await handler({ client, form, authority, jkt }));
}

/** At this endpoint an invalid proof is a bad request (400), not a missing credential. */
async function checkProof(
  { proofs }: Authority,
  proof: string,
  facts: Parameters<typeof proofs.check>[1],
): Promise<string> {
  try {
    return await proofs.check(proof, facts);
  } catch (error) {
    throw error instanceof OAuthFault ? new OAuthFault(error.code, error.message, { cause: error }) : error;
  }
}

async function exchangeCode({ client, form, authority, jkt }: TokenRequest): Promise<TokenAnswer> {
  const grant = await authority.grants.redeemCode(requireParam(form, 'code'), {
    clientId: client.client_id,
    redirectUri: form.get('redirect_uri') ?? undefined,
    verifier: readVerifier(form),
    resource: form.has('resource') ? readResource(form, authority) : undefined,
  });
  return issue(authority, client, grant, { jkt });
}

async function refresh({ client, form, authority, jkt }: TokenRequest): Promise<TokenAnswer> {
  const token = requireParam(form, 'refresh_token');
  const asked = form.has('scope') ? readScopes(form.get('scope')) : undefined;
  const check = ({ scopes, resource }: Grant): void => {
    if (form.has('scope') && (asked === undefined || !coversScopes(scopes, asked, authority.hierarchy)))
      throw new OAuthFault('invalid_scope', 'A refresh cannot ask for more scopes than were granted.');
    if (form.has('resource') && readResource(form, authority) !== resource)
      throw new OAuthFault('invalid_target', 'The refresh token is for another resource.');
  };
  const grant = await authority.grants.redeemRefresh(token, { clientId: client.client_id, jkt }, check);
  if ((await authority.login.confirm?.(grant, authority)) === false) {
    await authority.grants.end(grant.id);
    throw new OAuthFault('invalid_grant', 'The login behind this token has ended: log in again.');
  }
  // Scopes that the operator has withdrawn since the login are not renewed.
  return issue(authority, client, grant, { jkt, scopes: limitScopes(asked ?? grant.scopes, client, authority) });
}

async function actForItself({ client, form, authority, jkt }: TokenRequest): Promise<TokenAnswer> {
  if (isPublic(client))
    throw new OAuthFault('unauthorized_client', 'A client without credentials cannot act for itself.');
  const grant: Grant = {
    id: randomText(),
    clientId: client.client_id,
    scopes: readRequestedScopes(form.get('scope'), client, authority, { unattended: true }),
    resource: readResource(form, authority),
  };
  return authority.grants.issueOnce(grant, jkt);
}

function issue(
  authority: Authority,
  client: KnownClient,
  grant: Grant,
  given: { jkt: string | undefined; scopes?: readonly string[] },
): Promise<TokenAnswer> {
  return authority.grants.issueTokens(grant, {
    ...given,
    refreshable: mayUseGrant(client, 'refresh_token'),
  });
}

function readVerifier(form: URLSearchParams): string {
  const verifier = requireParam(form, 'code_verifier');
  if (!/^[\w.~-]{43,128}$/.test(verifier))
    throw new OAuthFault('invalid_grant', 'The code_verifier must be 43 to 128 letters, digits and -._~ characters.');
  return verifier;
}

const BUILT_IN: ReadonlyMap<string, GrantHandler> = new Map<string, GrantHandler>([
  ['authorization_code', exchangeCode],
  ['refresh_token', refresh],
  [CLIENT_CREDENTIALS, actForItself],
]);
