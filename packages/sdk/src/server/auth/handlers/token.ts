import type { RequestHandler } from 'express';
import * as z from 'zod/v4';
import { read, readScopes, refuse } from '../../../internal/server/auth/answers.ts';
import { endpoint, type RateLimit } from '../../../internal/server/auth/endpoint.ts';
import { readResource } from '../../../internal/server/auth/resources.ts';
import { isVerifierOf } from '../../../internal/server/auth/same-secret.ts';
import type { OAuthClientInformationFull, OAuthTokens } from '../../../shared/auth.ts';
import { InvalidGrantError, ServerError, UnsupportedGrantTypeError } from '../errors.ts';
import { authenticateClient } from '../middleware/clientAuth.ts';
import type { OAuthServerProvider } from '../provider.ts';

export type TokenHandlerOptions = {
  provider: OAuthServerProvider;
  /** 50 requests in 15 minutes when absent. */
  rateLimit?: RateLimit;
  /** URL of the MCP server; tokens are issued for it alone. For every resource when absent. */
  resourceServerUrl?: URL | undefined;
};

const GrantSchema = z.object({ grant_type: z.string() });
const CodeSchema = z.object({
  code: z.string(),
  code_verifier: z.string(),
  redirect_uri: z.string().optional(),
  resource: z.url().optional(),
});
const RefreshSchema = z.object({
  refresh_token: z.string(),
  scope: z.string().optional(),
  resource: z.url().optional(),
});

/** The token endpoint around a provider. */
export function tokenHandler(options: TokenHandlerOptions): RequestHandler {
  const { provider, rateLimit } = options;
  const calls = { max: 50, minutes: 15, named: 'token' };
  const router = endpoint({ methods: ['POST'], body: 'form', isForPages: true, calls, rateLimit });
  router.use(authenticateClient({ clientsStore: provider.clientsStore }));
  router.post('/', async ({ body, client }, response) => {
    try {
      const { grant_type: type } = read(GrantSchema, body);
      if (client === undefined) throw new ServerError('Internal Server Error');
      response.status(200).json(await tokensFor(type, client, body, options));
    } catch (error) {
      refuse(response, error);
    }
  });
  return router;
}

async function tokensFor(
  type: string,
  client: OAuthClientInformationFull,
  body: unknown,
  { provider, resourceServerUrl }: TokenHandlerOptions,
): Promise<OAuthTokens> {
  if (type === 'authorization_code') {
    const { code, code_verifier: verifier, redirect_uri: redirectUri, resource } = read(CodeSchema, body);
    const target = readResource(resource, resourceServerUrl);
    const { skipLocalPkceValidation: skips } = provider;
    if (!skips && !isVerifierOf(await provider.challengeForAuthorizationCode(client, code), verifier))
      throw new InvalidGrantError('code_verifier does not match the challenge');
    return provider.exchangeAuthorizationCode(client, code, skips ? verifier : undefined, redirectUri, target);
  }
  if (type === 'refresh_token') {
    const { refresh_token: token, scope, resource } = read(RefreshSchema, body);
    return provider.exchangeRefreshToken(client, token, readScopes(scope), readResource(resource, resourceServerUrl));
  }
  throw new UnsupportedGrantTypeError('The grant type is not supported by this authorization server.');
}
