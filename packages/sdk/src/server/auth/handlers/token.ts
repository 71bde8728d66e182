import type { OAuthServerProvider } from 'crosspoint/auth/server';
import {
  endpointHandler,
  type Handler,
  type RateLimitOptions,
} from '../../../internal/server/auth/endpoint-handler.ts';

export type TokenHandlerOptions = { provider: OAuthServerProvider; rateLimit?: RateLimitOptions };

export function tokenHandler({ provider, rateLimit }: TokenHandlerOptions): Handler {
  return endpointHandler('token', provider, rateLimit);
}
