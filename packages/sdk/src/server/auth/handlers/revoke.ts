import type { RequestHandler } from 'express';
import { read, refuse } from '../../../internal/server/auth/answers.ts';
import { endpoint, type RateLimit } from '../../../internal/server/auth/endpoint.ts';
import { OAuthTokenRevocationRequestSchema } from '../../../shared/auth.ts';
import { ServerError } from '../errors.ts';
import { authenticateClient } from '../middleware/clientAuth.ts';
import type { OAuthServerProvider } from '../provider.ts';

export type RevocationHandlerOptions = {
  provider: OAuthServerProvider;
  /** 50 requests in 15 minutes when absent. */
  rateLimit?: RateLimit;
};

/** The revocation endpoint around a provider, RFC 7009. */
export function revocationHandler({ provider, rateLimit }: RevocationHandlerOptions): RequestHandler {
  if (!provider.revokeToken) throw new Error('Auth provider does not support revoking tokens');
  const calls = { max: 50, minutes: 15, named: 'token revocation' };
  const router = endpoint({ methods: ['POST'], body: 'form', isForPages: true, calls, rateLimit });
  router.use(authenticateClient({ clientsStore: provider.clientsStore }));
  router.post('/', async ({ body, client }, response) => {
    try {
      const request = read(OAuthTokenRevocationRequestSchema, body);
      if (client === undefined) throw new ServerError('Internal Server Error');
      await provider.revokeToken?.(client, request);
      response.status(200).json({});
    } catch (error) {
      refuse(response, error);
    }
  });
  return router;
}
