import {
  OAuthClientInformationFullSchema,
  type AuthorizationServerMetadata,
  type OAuthClientInformationFull,
  type OAuthClientMetadata,
} from '../../shared/auth.ts';
import type { FetchLike } from '../../shared/transport.ts';
import { parseErrorResponse } from './error-answer.ts';
import { guardedFetch } from './guarded-fetch.ts';

/** An issuer in the answer is dropped: the client notes itself where it was registered. */
const Answer = OAuthClientInformationFullSchema.omit({ issuer: true });

/**
 * Registers a client (RFC 7591), at `/register` where there is no metadata. A `scope` takes the place of the one in the metadata of the
 * client.
 * @deprecated Dynamic client registration is deprecated by PR 2858, in favour of client ID metadata documents; the earliest revision without
 * it is the first on or after 2027-07-28.
 */
export async function registerClient(
  authorizationServerUrl: string | URL,
  options: {
    metadata?: AuthorizationServerMetadata | undefined;
    clientMetadata: OAuthClientMetadata;
    scope?: string | undefined;
    fetchFn?: FetchLike | undefined;
  },
): Promise<OAuthClientInformationFull> {
  const { metadata, clientMetadata, scope, fetchFn } = options;
  if (metadata !== undefined && !metadata.registration_endpoint)
    throw new Error('Incompatible auth server: does not support dynamic client registration');
  const url = new URL(metadata?.registration_endpoint ?? '/register', authorizationServerUrl);
  const response = await guardedFetch(authorizationServerUrl, fetchFn)(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...clientMetadata, ...(scope !== undefined && { scope }) }),
  });
  if (!response.ok) throw await parseErrorResponse(response);
  return Answer.parse(await response.json());
}
