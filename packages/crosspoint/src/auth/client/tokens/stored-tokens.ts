import type { AuthorizationServerMetadata, OAuthTokens } from '../../oauth-types.ts';
import type { StoredOAuthTokens } from '../oauth-client-provider.ts';

/** The request that tokens were issued for. */
export interface AskedFor {
  readonly resource: string | undefined;
  readonly requestedScope: string | undefined;
  /** Client authentication that was used. */
  readonly authMethod: string | undefined;
}

/** Adds issuer, endpoint, resource, scope and expiry to tokens. */
export function stampTokens(
  tokens: OAuthTokens,
  { issuer, token_endpoint: endpoint }: AuthorizationServerMetadata,
  asked: AskedFor,
): StoredOAuthTokens {
  return {
    ...tokens,
    issuer,
    ...(endpoint !== undefined && { token_endpoint: endpoint }),
    ...(asked.resource !== undefined && { resource: asked.resource }),
    ...(asked.requestedScope !== undefined && { requested_scope: asked.requestedScope }),
    ...(asked.authMethod !== undefined && { token_endpoint_auth_method: asked.authMethod }),
    ...(tokens.expires_in !== undefined && { expires_at: Date.now() + tokens.expires_in * 1000 }),
  };
}

const LEEWAY_MS = 30_000;

/** Whether a token has expired or is about to: 30 s before its end, or a tenth of its life if that is shorter. */
export function isOver(tokens: StoredOAuthTokens, now: number = Date.now()): boolean {
  if (tokens.expires_at === undefined) return false;
  const leeway = Math.min(LEEWAY_MS, ((tokens.expires_in ?? 300) * 1000) / 10);
  return now >= tokens.expires_at - leeway;
}

/** Whether a token has expired. */
export function isDead(tokens: StoredOAuthTokens, now: number = Date.now()): boolean {
  return tokens.expires_at !== undefined && now >= tokens.expires_at;
}
