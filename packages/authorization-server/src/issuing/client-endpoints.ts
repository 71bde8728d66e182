import type { HttpRequest } from 'crosspoint/server';
import { jsonAnswer, OAuthFault, type Answer } from 'crosspoint/internal/auth-server';
import type { Authority } from './authority.ts';
import { authenticateClient } from '../clients/client-authentication.ts';
import { isPublic, toRegistration } from '../clients/oauth-client.ts';
import { readForm, readJson, requireParam } from '../http/request-params.ts';

/** Dynamic client registration (RFC 7591). */
export async function answerRegistration(request: HttpRequest, authority: Authority): Promise<Answer> {
  const { client, secret } = await authority.clients.register(await readJson(request), {
    nowSeconds: Math.floor(authority.now() / 1000),
    scopes: authority.openScopes,
  });
  return jsonAnswer(201, { ...toRegistration(client), ...(secret !== undefined && { client_secret: secret }) });
}

/** Token revocation (RFC 7009). Tokens of other clients get the same answer as unknown ones. */
export async function answerRevocation(request: HttpRequest, authority: Authority): Promise<Answer> {
  const form = await readForm(request);
  const client = await authenticateClient(request, form, authority);
  await authority.grants.revoke(requireParam(form, 'token'), client.client_id);
  return jsonAnswer(200, {});
}

/**
 * Token introspection (RFC 7662), for resource servers in another process. A resource server is a client with a secret whose id is its
 * resource: it is told only about tokens for that resource.
 */
export async function answerIntrospection(request: HttpRequest, authority: Authority): Promise<Answer> {
  const form = await readForm(request);
  const client = await authenticateClient(request, form, authority);
  if (isPublic(client) || client.origin !== 'configured')
    throw new OAuthFault('invalid_client', 'Only resource servers with credentials may ask about tokens.');
  const found = await authority.grants.find(requireParam(form, 'token'));
  if (found === undefined || found.grant.resource !== client.client_id) return jsonAnswer(200, { active: false });
  const { grant, access } = found;
  if ((await authority.login.confirm?.(grant, authority)) === false) return jsonAnswer(200, { active: false });
  return jsonAnswer(200, {
    active: true,
    iss: authority.issuer,
    aud: grant.resource,
    client_id: grant.clientId,
    ...(grant.sub !== undefined && { sub: grant.sub }),
    scope: access.scopes.join(' '),
    exp: access.expiresAt,
    token_type: access.jkt === undefined ? 'Bearer' : 'DPoP',
    ...(access.jkt !== undefined && { cnf: { jkt: access.jkt } }),
  });
}
