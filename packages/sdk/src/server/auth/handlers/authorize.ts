import type { Request, RequestHandler, Response } from 'express';
import * as z from 'zod/v4';
import { read, readScopes, refuse, toldAs } from '../../../internal/server/auth/answers.ts';
import { endpoint, type RateLimit } from '../../../internal/server/auth/endpoint.ts';
import { sendBack, type WayBack } from '../../../internal/server/auth/going-back.ts';
import { isRedirectTarget } from '../../../internal/server/auth/redirect-uri.ts';
import { readResource } from '../../../internal/server/auth/resources.ts';
import type { OAuthClientInformationFull } from '../../../shared/auth.ts';
import { InvalidClientError, InvalidRequestError } from '../errors.ts';
import type { AuthorizationParams, OAuthServerProvider } from '../provider.ts';

export type AuthorizationHandlerOptions = {
  provider: OAuthServerProvider;
  /** 100 requests in 15 minutes when absent. */
  rateLimit?: RateLimit;
  /** URL of the MCP server; tokens are issued for it alone. For every resource when absent. */
  resourceServerUrl?: URL | undefined;
};

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

/** The parameters that say where an answer goes: as long as they are wrong, nobody is redirected. */
const AddresseeSchema = z.object({
  client_id: z.string(),
  redirect_uri: z
    .string()
    .refine((value) => URL.canParse(value), { error: 'redirect_uri must be a valid URL' })
    .optional(),
  state: z.unknown().optional(),
});
const RequestSchema = z.object({
  response_type: z.literal('code'),
  code_challenge: z.string().min(1),
  code_challenge_method: z.literal('S256'),
  scope: z.string().optional(),
  state: z.string().optional(),
  resource: z.url().optional(),
});

/** The authorization endpoint around a provider. */
export function authorizationHandler(options: AuthorizationHandlerOptions): RequestHandler {
  const { rateLimit } = options;
  const calls = { max: 100, minutes: 15, named: 'authorization' };
  const router = endpoint({ methods: ['GET', 'POST'], body: 'form', isForPages: false, calls, rateLimit });
  router.all('/', (request, response) => answer(request, response, options));
  return router;
}

/** Never rejects. */
async function answer(request: Request, response: Response, options: AuthorizationHandlerOptions): Promise<void> {
  try {
    const params: unknown = request.method === 'POST' ? request.body : request.query;
    const [client, way] = await addresseeOf(params, options.provider);
    await authorize(options, client, way, { params, response });
  } catch (error) {
    refuse(response, error);
  }
}

/** The client, and the address at which it hears of everything else. Throws when nobody may be redirected. */
async function addresseeOf(
  params: unknown,
  { clientsStore }: OAuthServerProvider,
): Promise<[OAuthClientInformationFull, WayBack]> {
  const { client_id: id, redirect_uri: asked, state } = read(AddresseeSchema, params);
  const client = await clientsStore.getClient(id);
  if (!client) throw new InvalidClientError('Invalid client_id');
  const registered = client.redirect_uris;
  const redirectUri = asked ?? (registered.length === 1 ? registered[0] : undefined);
  if (redirectUri === undefined)
    throw new InvalidRequestError('redirect_uri must be specified when client has multiple registered URIs');
  if (!isRedirectTarget(redirectUri) || !registered.some((each) => redirectUriMatches(redirectUri, each)))
    throw new InvalidRequestError('Unregistered redirect_uri');
  const isOpen = clientsStore.registerClient !== undefined;
  return [client, { redirectUri, state: typeof state === 'string' ? state : undefined, isOpen }];
}

async function authorize(
  { provider, resourceServerUrl }: AuthorizationHandlerOptions,
  client: OAuthClientInformationFull,
  way: WayBack,
  { params, response }: { params: unknown; response: Response },
): Promise<void> {
  try {
    const { scope, state, code_challenge: codeChallenge, resource } = read(RequestSchema, params);
    const target = readResource(resource, resourceServerUrl);
    const asked: AuthorizationParams = {
      ...(state !== undefined && { state }),
      scopes: readScopes(scope) ?? [],
      redirectUri: way.redirectUri,
      codeChallenge,
      ...(target && { resource: target }),
    };
    await provider.authorize(client, asked, response);
  } catch (error) {
    sendBack(response, way, toldAs(error));
  }
}
