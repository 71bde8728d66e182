import type { AuthorizationServerMetadata, OAuthTokens } from '../../oauth-types.ts';
import type { StoredOAuthTokens } from '../oauth-client-provider.ts';

/** What tokens were asked for, and by whom. */
export interface AskedFor {
  readonly resource: string | undefined;
  readonly requestedScope: string | undefined;
  /** How the client showed who it is. */
  readonly authMethod: string | undefined;
}

/** Tokens together with everything that belongs to them. */
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

/** Whether a token is over, or about to be; short-lived ones are used for nine tenths of their life. */
export function isOver(tokens: StoredOAuthTokens, now: number = Date.now()): boolean {
  if (tokens.expires_at === undefined) return false;
  const leeway = Math.min(LEEWAY_MS, ((tokens.expires_in ?? 300) * 1000) / 10);
  return now >= tokens.expires_at - leeway;
}

/** Whether a token cannot be used any more, without any leeway. */
export function isDead(tokens: StoredOAuthTokens, now: number = Date.now()): boolean {
  return tokens.expires_at !== undefined && now >= tokens.expires_at;
}
