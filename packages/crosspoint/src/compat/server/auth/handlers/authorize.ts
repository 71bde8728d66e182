import type { OAuthServerProvider } from '../../../../auth/server/index.ts';
import { endpointHandler, type Handler, type RateLimitOptions } from '../endpoint-handler.ts';

export type AuthorizationHandlerOptions = { provider: OAuthServerProvider; rateLimit?: RateLimitOptions };

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a redirect URI is the one that was registered; on this machine whatever its port, which a client cannot know beforehand. */
export function redirectUriMatches(requested: string, registered: string): boolean {
  if (requested === registered) return true;
  if (!URL.canParse(requested) || !URL.canParse(registered)) return false;
  const [asked, known] = [new URL(requested), new URL(registered)];
  if (!LOOPBACK.has(asked.hostname)) return false;
  asked.port = '';
  known.port = '';
  return asked.href === known.href;
}

export function authorizationHandler({ provider, rateLimit }: AuthorizationHandlerOptions): Handler {
  return endpointHandler('authorize', provider, rateLimit);
}
