import type { OAuthServerProvider } from '../../../../auth/server/index.ts';
import { endpointHandler, type Handler, type RateLimitOptions } from '../endpoint-handler.ts';

export type TokenHandlerOptions = { provider: OAuthServerProvider; rateLimit?: RateLimitOptions };

export function tokenHandler({ provider, rateLimit }: TokenHandlerOptions): Handler {
  return endpointHandler('token', provider, rateLimit);
}
