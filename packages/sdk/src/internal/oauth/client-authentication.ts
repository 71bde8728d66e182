import type { OAuthClientInformationMixed } from '../../shared/auth.ts';

const METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const;
type ClientAuthMethod = (typeof METHODS)[number];

/** The method that the client was registered with, where the authorization server has it; else the first that both have. */
export function selectClientAuthMethod(
  clientInformation: OAuthClientInformationMixed,
  supportedMethods: string[],
): ClientAuthMethod {
  const registered = 'token_endpoint_auth_method' in clientInformation && clientInformation.token_endpoint_auth_method;
  const isUsable = (method: string): boolean => supportedMethods.length === 0 || supportedMethods.includes(method);
  const preferred = METHODS.find((method) => method === registered && isUsable(method));
  if (preferred !== undefined) return preferred;
  if (clientInformation.client_secret === undefined) return 'none';
  // RFC 8414: a server that lists no methods has client_secret_basic. One that lists others is sent the secret in the body, as a last resort.
  return METHODS.find(isUsable) ?? 'client_secret_post';
}

/** Adds the id of the client and its secret to a token request. */
export function authenticateClient(
  client: OAuthClientInformationMixed,
  supportedMethods: string[],
  headers: Headers,
  params: URLSearchParams,
): void {
  const { client_id: id, client_secret: secret } = client;
  const method = selectClientAuthMethod(client, supportedMethods);
  if (method === 'client_secret_basic') {
    if (!secret) throw new Error('client_secret_basic authentication requires a client_secret');
    headers.set('Authorization', `Basic ${btoa(`${id}:${secret}`)}`);
    return;
  }
  params.set('client_id', id);
  if (method === 'client_secret_post' && secret) params.set('client_secret', secret);
}
