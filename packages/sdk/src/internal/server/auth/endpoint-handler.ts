import { mcpAuthRouter, type AuthRouterOptions, type OAuthServerProvider } from 'crosspoint/auth/server';
import type { NodeRequest, NodeResponse } from 'crosspoint/server';

/** A middleware for Express and similar. */
export type Handler = (request: NodeRequest, response: NodeResponse, next: (error?: unknown) => void) => void;

/** How often one address may call an endpoint; `false` for no limit. `max` is the older name of `limit`. */
export type RateLimitOptions = { windowMs?: number; max?: number; limit?: number } | false;

type Limits = NonNullable<AuthRouterOptions['rateLimits']>;
export type EndpointName = keyof Limits;

const MINUTE = 60_000;
const DEFAULTS: Readonly<Record<EndpointName, { max: number; windowMs: number }>> = {
  authorize: { max: 100, windowMs: 15 * MINUTE },
  token: { max: 50, windowMs: 15 * MINUTE },
  register: { max: 20, windowMs: 60 * MINUTE },
  revoke: { max: 50, windowMs: 15 * MINUTE },
};

export function limitOf(name: EndpointName, given: RateLimitOptions | undefined): Limits {
  if (given === false) return { [name]: false };
  const { max, windowMs } = DEFAULTS[name];
  return { [name]: { max: given?.limit ?? given?.max ?? max, windowMs: given?.windowMs ?? windowMs } };
}

/** One endpoint of an authorization server, to be mounted anywhere. */
export function endpointHandler(
  name: EndpointName,
  provider: OAuthServerProvider,
  rateLimit: RateLimitOptions | undefined,
  more: Pick<AuthRouterOptions, 'registration'> = {},
): Handler {
  const router = mcpAuthRouter({
    ...more,
    provider,
    // A single endpoint uses the issuer nowhere.
    issuerUrl: 'http://localhost',
    rateLimits: limitOf(name, rateLimit),
  });
  return (request, response, next) => {
    const { url = '/' } = request;
    const mark = url.indexOf('?');
    request.url = `/${name}${mark === -1 ? '' : url.slice(mark)}`;
    router(request, response, (error) => {
      request.url = url;
      next(error);
    });
  };
}
