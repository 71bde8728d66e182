import type { JsonObject } from '../../../jsonrpc/message.ts';
import { InvalidTokenError } from '../http/oauth-fault.ts';
import { isSameResource } from './resource-uri.ts';
import { readScopes } from './scopes.ts';
import type { OAuthTokenVerifier } from './token-verifier.ts';
import type { AuthInfo } from '../../../transports/transport.ts';
import { sha256Base64Url } from '../../../runtime/sha256.ts';

const TIMEOUT_MS = 5000;
const MAX_REMEMBERED = 10_000;

export interface IntrospectionOptions {
  /** Introspection endpoint of the authorization server (RFC 7662). */
  readonly endpoint: string | URL;
  /** Credentials of this server at that endpoint. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** Accepted audiences. Tokens for others, and tokens without an audience, are refused. */
  readonly audience: string | URL | readonly (string | URL)[];
  /** Milliseconds that a positive answer is cached, and that a revoked token stays valid; 10 seconds when absent. */
  readonly rememberMs?: number;
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
}

/** Verifies opaque tokens by asking the authorization server. */
export function introspectionVerifier(options: IntrospectionOptions): OAuthTokenVerifier {
  const { rememberMs = 10_000, now = Date.now } = options;
  const audience = [options.audience].flat().map(String);
  if (audience.length === 0) throw new TypeError('The option audience must name at least one audience.');
  const remembered = new Map<string, { authInfo: AuthInfo; until: number }>();
  return {
    async verifyAccessToken(token) {
      const key = await sha256Base64Url(token);
      const known = remembered.get(key);
      if (known && known.until > now()) return { ...known.authInfo, token };
      remembered.delete(key);
      const authInfo = toAuthInfo(token, await introspect(options, token), { audience, now: now() });
      const until = Math.min(now() + rememberMs, (authInfo.expiresAt ?? Number.POSITIVE_INFINITY) * 1000);
      if (remembered.size >= MAX_REMEMBERED) remembered.delete(remembered.keys().next().value ?? '');
      remembered.set(key, { authInfo: { ...authInfo, token: '' }, until });
      return authInfo;
    },
  };
}

async function introspect(options: IntrospectionOptions, token: string): Promise<JsonObject> {
  const { endpoint, clientId, clientSecret, fetch: fetcher = fetch } = options;
  const credentials = btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
  const response = await fetcher(endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}`, accept: 'application/json' },
    body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`The introspection endpoint ${String(endpoint)} answered ${response.status}.`);
  return (await response.json()) as JsonObject;
}

function toAuthInfo(
  token: string,
  answer: JsonObject,
  { audience, now }: { audience: readonly string[]; now: number },
): AuthInfo {
  if (answer['active'] !== true) throw new InvalidTokenError('The token has expired, was revoked, or is unknown.');
  const { exp, aud, client_id: clientId, sub, scope } = answer;
  if (typeof exp === 'number' && exp * 1000 <= now) throw new InvalidTokenError('The token has expired.');
  const meant = [aud ?? []].flat().find((entry) => typeof entry === 'string' && isFor(entry, audience));
  if (typeof meant !== 'string') throw new InvalidTokenError('The token was issued for another server (audience).');
  const client = [clientId, sub].find((entry) => typeof entry === 'string' && entry !== '');
  if (typeof client !== 'string') throw new InvalidTokenError('The token names neither a client nor a user.');
  return {
    token,
    clientId: client,
    scopes: typeof scope === 'string' ? (readScopes(scope) ?? []) : [],
    ...(typeof exp === 'number' && { expiresAt: exp }),
    ...(URL.canParse(meant) && { resource: new URL(meant) }),
    extra: answer,
  };
}

function isFor(entry: string, audience: readonly string[]): boolean {
  return audience.some((own) => own === entry || isSameResource(own, entry));
}
