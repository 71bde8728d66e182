import type { RequestHandler } from 'express';
import * as z from 'zod/v4';
import { read, refuse } from '../../../internal/server/auth/answers.ts';
import { isSameSecret } from '../../../internal/server/auth/same-secret.ts';
import type { OAuthClientInformationFull } from '../../../shared/auth.ts';
import type { OAuthRegisteredClientsStore } from '../clients.ts';
import { InvalidClientError } from '../errors.ts';

export type ClientAuthenticationMiddlewareOptions = { clientsStore: OAuthRegisteredClientsStore };

declare module 'express-serve-static-core' {
  interface Request {
    /** The client that makes the request. */
    client?: OAuthClientInformationFull;
  }
}

const CredentialsSchema = z.object({ client_id: z.string(), client_secret: z.string().optional() });

/** Admits requests of a registered client, with its secret if it has one, and sets `request.client`. Needs a parsed body. */
export function authenticateClient({ clientsStore }: ClientAuthenticationMiddlewareOptions): RequestHandler {
  return async (request, response, next) => {
    try {
      request.client = await findClient(request.body, clientsStore);
      next();
    } catch (error) {
      refuse(response, error);
    }
  };
}

async function findClient(body: unknown, store: OAuthRegisteredClientsStore): Promise<OAuthClientInformationFull> {
  const { client_id: id, client_secret: given } = read(CredentialsSchema, body);
  const client = await store.getClient(id);
  if (!client) throw new InvalidClientError('Invalid client_id');
  const { client_secret: secret, client_secret_expires_at: expires = 0, token_endpoint_auth_method: method } = client;
  // A client that says it has a secret, and whose secret is not in the store, has nothing to prove itself with.
  if (!secret && (method === undefined || method === 'none')) return client;
  if (!given) throw new InvalidClientError('Client secret is required');
  if (!secret || !isSameSecret(given, secret)) throw new InvalidClientError('Invalid client_secret');
  if (expires > 0 && expires < Math.floor(Date.now() / 1000)) throw new InvalidClientError('Client secret has expired');
  return client;
}
