import type { KnownClient } from '../clients/oauth-client.ts';

/** Grants in which a user logs in and approves. Every other grant issues tokens without a login. */
export const ATTENDED_GRANTS: readonly string[] = ['authorization_code', 'refresh_token'];

export const CLIENT_CREDENTIALS = 'client_credentials';
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** Unattended grants of this package; a registration that names one is refused. */
export const UNATTENDED_GRANTS: readonly string[] = [CLIENT_CREDENTIALS, JWT_BEARER, TOKEN_EXCHANGE];

export function grantTypesOf(client: KnownClient): readonly string[] {
  return client.grant_types ?? ATTENDED_GRANTS;
}

/**
 * Whether a client may use a grant: its `grant_types` must list it, and unattended grants are for configured clients only. Anybody can
 * register or publish a document, so those `grant_types` are only a claim.
 */
export function mayUseGrant(client: KnownClient, type: string): boolean {
  if (client.origin !== 'configured' && !ATTENDED_GRANTS.includes(type)) return false;
  return grantTypesOf(client).includes(type);
}
