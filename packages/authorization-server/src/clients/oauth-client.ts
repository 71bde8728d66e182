import type { JSONWebKeySet } from 'jose';
import type { JsonObject } from 'crosspoint';

export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

export const CLIENT_AUTH_METHODS: readonly ClientAuthMethod[] = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
];

/** A client program as the authorization server knows it, with the names of RFC 7591. */
export interface OAuthClient {
  readonly client_id: string;
  readonly client_name?: string;
  /** Seconds since the epoch. */
  readonly client_id_issued_at?: number;
  readonly redirect_uris?: readonly string[];
  /** `authorization_code` and `refresh_token` when absent. A client that uses any other grant must list it. */
  readonly grant_types?: readonly string[];
  /** `none` when absent. */
  readonly token_endpoint_auth_method?: ClientAuthMethod;
  /** Stored as a digest. */
  readonly client_secret?: string;
  /** Seconds since the epoch; 0 means never. */
  readonly client_secret_expires_at?: number;
  /** The most scopes that it may request. When absent: all where a person approves them, none where the client acts for itself. */
  readonly scope?: string;
  readonly jwks?: JSONWebKeySet;
  readonly jwks_uri?: string;
  readonly client_uri?: string;
  readonly application_type?: 'native' | 'web';
}

/** A known client, and how it became known. */
export interface KnownClient extends Omit<OAuthClient, 'client_secret'> {
  readonly origin: 'configured' | 'registered' | 'document';
  readonly secretDigest?: string;
}

export function redirectsOf(client: KnownClient): readonly string[] {
  return client.redirect_uris ?? [];
}

/** A public client cannot keep a secret: anybody who knows its id can claim to be it. */
export function isPublic(client: KnownClient): boolean {
  return (client.token_endpoint_auth_method ?? 'none') === 'none';
}

/** The registration as the client sees it. */
export function toRegistration(client: KnownClient): JsonObject {
  const { origin: _origin, secretDigest: _digest, ...told } = client;
  return told;
}
