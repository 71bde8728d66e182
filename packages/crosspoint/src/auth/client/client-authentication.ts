import * as oauth from 'oauth4webapi';
import type { AuthorizationServerMetadata, OAuthClientInformationMixed } from '../oauth-types.ts';
import { AuthFlowError } from './flow-error.ts';
import type { AddClientAuthentication } from './oauth-client-provider.ts';

export type ClientAuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none';

/**
 * Client authentication at the token endpoint: the registered method if the server still supports it, else the best that both support. A
 * server that lists none supports Basic, as RFC 8414 says.
 */
export function selectClientAuthMethod(
  information: OAuthClientInformationMixed,
  supported: readonly string[] | undefined,
): ClientAuthMethod {
  const registered = 'token_endpoint_auth_method' in information ? information.token_endpoint_auth_method : undefined;
  const hasSecret = information.client_secret !== undefined;
  const usable: ClientAuthMethod[] = hasSecret ? ['client_secret_basic', 'client_secret_post', 'none'] : ['none'];
  const known = usable.find((method) => method === registered);
  if (known !== undefined && (supported === undefined || supported.length === 0 || supported.includes(known)))
    return known;
  if (supported === undefined || supported.length === 0) return hasSecret ? 'client_secret_basic' : 'none';
  return usable.find((method) => supported.includes(method)) ?? (hasSecret ? 'client_secret_post' : 'none');
}

/** Client authentication in the form that oauth4webapi takes. */
export function clientAuthentication(
  information: OAuthClientInformationMixed,
  metadata: AuthorizationServerMetadata,
  add: AddClientAuthentication | undefined,
): oauth.ClientAuth {
  if (add !== undefined)
    return async (_as, _client, body, headers) => {
      await add(headers, body, metadata.token_endpoint ?? metadata.issuer, metadata);
    };
  const secret = information.client_secret;
  const method = selectClientAuthMethod(information, metadata.token_endpoint_auth_methods_supported);
  if (method === 'none' || secret === undefined) return oauth.None();
  if (isExpired(information))
    throw new AuthFlowError(
      'registration',
      `The secret of this client at ${metadata.issuer} has expired. Register it again.`,
      { issuer: metadata.issuer },
    );
  return method === 'client_secret_basic' ? basic(secret) : oauth.ClientSecretPost(secret);
}

/**
 * oauth4webapi's own version encodes characters that a form leaves unchanged, such as the hyphen; servers that do not decode would then
 * refuse most client ids.
 */
function basic(secret: string): oauth.ClientAuth {
  const encode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
  return (_as, { client_id: id }, _body, headers) => {
    headers.set('Authorization', `Basic ${btoa(`${encode(id)}:${encode(secret)}`)}`);
  };
}

/** Whether the secret of a registration has expired. */
export function isExpired({ client_secret_expires_at: at }: OAuthClientInformationMixed): boolean {
  return at !== undefined && at !== 0 && at * 1000 <= Date.now();
}
