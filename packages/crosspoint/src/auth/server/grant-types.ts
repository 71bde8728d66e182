import type { KnownClient } from './oauth-client.ts';

/** The grants in which a person logs in and agrees. Every other grant issues tokens without asking anybody. */
export const ATTENDED_GRANTS: readonly string[] = ['authorization_code', 'refresh_token'];

export const CLIENT_CREDENTIALS = 'client_credentials';
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** The unattended grants that a program may know to ask for when it describes itself. */
export const UNATTENDED_GRANTS: readonly string[] = [CLIENT_CREDENTIALS, JWT_BEARER, TOKEN_EXCHANGE];

export function grantTypesOf(client: KnownClient): readonly string[] {
  return client.grant_types ?? ATTENDED_GRANTS;
}

/**
 * Whether a client may use a grant: it must be listed in its `grant_types`, and an unattended grant is for configured clients alone. Anybody can
 * register or publish a document, so what such a client says of itself gives it no right to tokens that no person has agreed to.
 */
export function mayUseGrant(client: KnownClient, type: string): boolean {
  if (client.origin !== 'configured' && !ATTENDED_GRANTS.includes(type)) return false;
  return grantTypesOf(client).includes(type);
}
