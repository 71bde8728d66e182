import { randomBytes, randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { read, refuse } from '../../../internal/server/auth/answers.ts';
import { endpoint, type RateLimit } from '../../../internal/server/auth/endpoint.ts';
import { isRegistrable } from '../../../internal/server/auth/redirect-uri.ts';
import {
  OAuthClientMetadataSchema,
  type OAuthClientInformationFull,
  type OAuthClientMetadata,
} from '../../../shared/auth.ts';
import type { OAuthRegisteredClientsStore } from '../clients.ts';
import { InvalidClientMetadataError } from '../errors.ts';

export type ClientRegistrationHandlerOptions = {
  clientsStore: OAuthRegisteredClientsStore;
  /** Lifetime of a secret in seconds; 30 days when absent, unlimited when 0. */
  clientSecretExpirySeconds?: number;
  /** 20 requests in an hour when absent. */
  rateLimit?: RateLimit;
  /** `false`: the store generates the ids. */
  clientIdGeneration?: boolean;
};

const DAYS_30 = 30 * 24 * 60 * 60;

/** The registration endpoint around a store of clients, RFC 7591. */
export function clientRegistrationHandler(options: ClientRegistrationHandlerOptions): RequestHandler {
  const { clientsStore, rateLimit } = options;
  if (!clientsStore.registerClient) throw new Error('Client registration store does not support registering clients');
  const calls = { max: 20, minutes: 60, named: 'client registration' };
  const router = endpoint({ methods: ['POST'], body: 'json', isForPages: true, calls, rateLimit });
  router.post('/', async ({ body }, response) => {
    try {
      const made = identityOf(readMetadata(body), options);
      response.status(201).json((await clientsStore.registerClient?.(made)) ?? made);
    } catch (error) {
      refuse(response, error);
    }
  });
  return router;
}

function readMetadata(body: unknown): OAuthClientMetadata {
  const metadata = read(OAuthClientMetadataSchema, body, InvalidClientMetadataError);
  const { redirect_uris: uris, client_name: name } = metadata;
  if (!uris.every(isRegistrable))
    throw new InvalidClientMetadataError(
      'redirect_uris: each must be an address of a program, without fragment and credentials, and http on a loopback host alone',
    );
  // Control characters in a name could forge pages and log lines.
  // oxlint-disable-next-line no-control-regex -- these are to be removed
  const forged = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
  return name === undefined ? metadata : { ...metadata, client_name: name.replaceAll(forged, '') };
}

/** The metadata with the id and the secret of a new client. Only one that says so has no secret. */
function identityOf(
  metadata: OAuthClientMetadata,
  { clientSecretExpirySeconds: lifetime = DAYS_30, clientIdGeneration = true }: ClientRegistrationHandlerOptions,
): OAuthClientInformationFull {
  const issuedAt = Math.floor(Date.now() / 1000);
  const secret = {
    client_secret: randomBytes(32).toString('hex'),
    client_secret_expires_at: lifetime > 0 ? issuedAt + lifetime : 0,
  };
  return {
    ...metadata,
    ...(metadata.token_endpoint_auth_method !== 'none' && secret),
    ...(clientIdGeneration && { client_id: randomUUID(), client_id_issued_at: issuedAt }),
  } as OAuthClientInformationFull;
}
