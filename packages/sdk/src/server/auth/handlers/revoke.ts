import type { OAuthServerProvider } from 'crosspoint/auth/server';
import {
  endpointHandler,
  type Handler,
  type RateLimitOptions,
} from '../../../internal/server/auth/endpoint-handler.ts';

export type RevocationHandlerOptions = { provider: OAuthServerProvider; rateLimit?: RateLimitOptions };

export function revocationHandler({ provider, rateLimit }: RevocationHandlerOptions): Handler {
  if (provider.revokeToken === undefined)
    throw new TypeError('The provider cannot revoke tokens: it has no revokeToken.');
  return endpointHandler('revoke', provider, rateLimit);
}
