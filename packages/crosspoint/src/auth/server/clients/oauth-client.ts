import type { JSONWebKeySet } from 'jose';
import type { JsonObject } from '../../../jsonrpc/message.ts';

export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

export const CLIENT_AUTH_METHODS: readonly ClientAuthMethod[] = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
];

/** What an authorization server knows of a client program, in the words of RFC 7591. */
export interface OAuthClient {
  readonly client_id: string;
  readonly client_name?: string;
  /** Seconds since the epoch. */
  readonly client_id_issued_at?: number;
  readonly redirect_uris?: readonly string[];
  /** `authorization_code` and `refresh_token` when absent. A client that uses any other grant lists it here. */
  readonly grant_types?: readonly string[];
  /** `none` when absent. */
  readonly token_endpoint_auth_method?: ClientAuthMethod;
  /** Kept as a digest. */
  readonly client_secret?: string;
  /** Seconds since the epoch; 0 for never. */
  readonly client_secret_expires_at?: number;
  /** The scopes that it may ask for, at most. When absent: all where a person agrees to them, none where the client acts for itself. */
  readonly scope?: string;
  readonly jwks?: JSONWebKeySet;
  readonly jwks_uri?: string;
  readonly client_uri?: string;
  readonly application_type?: 'native' | 'web';
}

/** A client as it was found, and how much is known of where it came from. */
export interface KnownClient extends Omit<OAuthClient, 'client_secret'> {
  readonly origin: 'configured' | 'registered' | 'document';
  readonly secretDigest?: string;
}

export function redirectsOf(client: KnownClient): readonly string[] {
  return client.redirect_uris ?? [];
}

/** A public client can keep no secret: whoever has its id can claim to be it. */
export function isPublic(client: KnownClient): boolean {
  return (client.token_endpoint_auth_method ?? 'none') === 'none';
}

/** What the client is told of itself. */
export function toRegistration(client: KnownClient): JsonObject {
  const { origin: _origin, secretDigest: _digest, ...told } = client;
  return told;
}
