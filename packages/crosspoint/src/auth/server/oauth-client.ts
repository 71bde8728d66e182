import type { JSONWebKeySet } from 'jose';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { isLoopbackName } from '../../transports/http/guards.ts';

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

/** Why a URI cannot be one to which codes are sent, or `undefined`. Only https, or http on the user's own machine. */
export function redirectFault(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || uri.length > 2000 || !URL.canParse(uri)) return 'it is no absolute URI';
  const url = new URL(uri);
  if (uri.includes('#')) return 'it has a fragment';
  if (url.username !== '' || url.password !== '') return 'it holds credentials';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol !== 'http:')
    return `its scheme is ${url.protocol.slice(0, 40)}; only https and http on a loopback host are allowed`;
  return isLoopbackName(url.hostname) ? undefined : 'it is http, and not on a loopback host';
}

/**
 * Whether a URI is one that was registered: the same text. `anyPort`: one that was registered for the loopback interface without a port is good
 * for every port, as native programs cannot know theirs in advance (RFC 8252, section 7.3).
 */
export function isRegisteredRedirect(client: KnownClient, uri: string, { anyPort }: { anyPort: boolean }): boolean {
  return redirectsOf(client).some((registered) => {
    if (registered === uri) return true;
    if (!anyPort || redirectFault(registered) !== undefined || redirectFault(uri) !== undefined) return false;
    const own = new URL(registered);
    const asked = new URL(uri);
    if (own.protocol !== 'http:' || own.port !== '' || !isLoopbackName(own.hostname)) return false;
    asked.port = '';
    return own.href === asked.href && uri === uri.trim();
  });
}

/** What the client is told of itself. */
export function toRegistration(client: KnownClient): JsonObject {
  const { origin: _origin, secretDigest: _digest, ...told } = client;
  return told;
}
