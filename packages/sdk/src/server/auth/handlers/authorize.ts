import type { OAuthServerProvider } from 'crosspoint/auth/server';
import {
  endpointHandler,
  type Handler,
  type RateLimitOptions,
} from '../../../internal/server/auth/endpoint-handler.ts';

export type AuthorizationHandlerOptions = { provider: OAuthServerProvider; rateLimit?: RateLimitOptions };

/**
 * Whether a redirect URI is the registered one, compared as text. On loopback hosts the port is ignored, because a client cannot know it in
 * advance.
 */
export function redirectUriMatches(requested: string, registered: string): boolean {
  return requested === registered || (URL.canParse(requested) && withoutPort(requested) === withoutPort(registered));
}

function withoutPort(uri: string): string {
  return uri.replace(/^(https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):[1-9]\d{0,4}(?=[/?]|$)/, '$1');
}

export function authorizationHandler({ provider, rateLimit }: AuthorizationHandlerOptions): Handler {
  return endpointHandler('authorize', provider, rateLimit);
}
