import type { AuthInfo } from 'crosspoint/server';

/** Says for each token whose it is: the token is the name. */
export function authenticate(request: { header(name: string): string | undefined }): AuthInfo | undefined {
  const token = request.header('authorization')?.replace('Bearer ', '');
  return token === undefined ? undefined : { token, clientId: token, scopes: [] };
}
