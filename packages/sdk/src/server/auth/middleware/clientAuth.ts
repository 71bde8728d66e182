import type { OAuthClientInformationFull } from 'crosspoint/auth';
import type { OAuthRegisteredClientsStore } from 'crosspoint/auth/server';
import type { NodeRequest, NodeResponse } from 'crosspoint/server';
import type { Handler } from '../../../internal/server/auth/endpoint-handler.ts';
import { contain } from '../../../internal/shared/contain.ts';
import { InvalidClientError, InvalidRequestError, OAuthError, ServerError } from '../errors.ts';

export type ClientAuthenticationMiddlewareOptions = { clientsStore: OAuthRegisteredClientsStore };

declare module 'express-serve-static-core' {
  interface Request {
    /** The client that makes the request. */
    client?: OAuthClientInformationFull;
  }
}

/** Admits requests of a registered client, with its secret if it has one, and sets `request.client`. Needs a parsed body. */
export function authenticateClient({ clientsStore }: ClientAuthenticationMiddlewareOptions): Handler {
  return (request, response, next) => contain(() => admit({ request, response, next }, clientsStore), next);
}

async function admit(
  { request, response, next }: { request: NodeRequest; response: NodeResponse; next: (error?: unknown) => void },
  store: OAuthRegisteredClientsStore,
): Promise<void> {
  try {
    Object.assign(request, { client: await findClient(request, store) });
  } catch (error) {
    const told = error instanceof OAuthError ? error : new ServerError('Internal Server Error');
    response.writeHead(told instanceof ServerError ? 500 : 400, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(told.toResponseObject()));
    return;
  }
  next();
}

async function findClient(
  request: NodeRequest,
  store: OAuthRegisteredClientsStore,
): Promise<OAuthClientInformationFull> {
  const { client_id: id, client_secret: given } = (request.body ?? {}) as Record<string, unknown>;
  if (typeof id !== 'string') throw new InvalidRequestError('The client_id is missing');
  const client = await store.getClient(id);
  if (client === undefined) throw new InvalidClientError('The client_id is not valid');
  const { client_secret: secret, client_secret_expires_at: expires = 0 } = client;
  if (secret === undefined) return client;
  if (typeof given !== 'string') throw new InvalidClientError('The client_secret is missing');
  if (!isSame(given, secret)) throw new InvalidClientError('The client_secret is not valid');
  if (expires > 0 && expires < Date.now() / 1000) throw new InvalidClientError('The client_secret has expired');
  return client;
}

/** Takes the same time wherever the texts differ. */
function isSame(given: string, secret: string): boolean {
  let difference = given.length ^ secret.length;
  for (let at = 0; at < secret.length; at++)
    difference |= given.charCodeAt(at % (given.length || 1)) ^ secret.charCodeAt(at);
  return difference === 0;
}
