import type { KnownClient } from '../clients/oauth-client.ts';

/** The grants in which a user logs in and agrees. Every other grant issues tokens without a login. */
export const ATTENDED_GRANTS: readonly string[] = ['authorization_code', 'refresh_token'];

export const CLIENT_CREDENTIALS = 'client_credentials';
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** The unattended grants of this package; a registration that names one is refused. */
export const UNATTENDED_GRANTS: readonly string[] = [CLIENT_CREDENTIALS, JWT_BEARER, TOKEN_EXCHANGE];

export function grantTypesOf(client: KnownClient): readonly string[] {
  return client.grant_types ?? ATTENDED_GRANTS;
}

/**
 * Whether a client may use a grant: its `grant_types` must list the grant, and unattended grants are for configured clients alone. Anybody can
 * register or publish a document, so the `grant_types` of such a client are only its own claim.
 */
export function mayUseGrant(client: KnownClient, type: string): boolean {
  if (client.origin !== 'configured' && !ATTENDED_GRANTS.includes(type)) return false;
  return grantTypesOf(client).includes(type);
}
