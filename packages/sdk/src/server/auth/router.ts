import {
  createOAuthMetadata as newMetadata,
  mcpAuthRouter as newRouter,
  type AuthRouter,
  type AuthRouterOptions as NewRouterOptions,
} from 'crosspoint/auth/server';
import { limitOf } from '../../internal/server/auth/endpoint-handler.ts';
import type { AuthorizationHandlerOptions } from './handlers/authorize.ts';
import { registrationOf, type ClientRegistrationHandlerOptions } from './handlers/register.ts';
import type { RevocationHandlerOptions } from './handlers/revoke.ts';
import type { TokenHandlerOptions } from './handlers/token.ts';

export {
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
  type AuthMetadataOptions,
} from 'crosspoint/auth/server';

export type AuthRouterOptions = Omit<NewRouterOptions, 'rateLimit' | 'rateLimits' | 'registration'> & {
  authorizationOptions?: Omit<AuthorizationHandlerOptions, 'provider'>;
  clientRegistrationOptions?: Omit<ClientRegistrationHandlerOptions, 'clientsStore'>;
  revocationOptions?: Omit<RevocationHandlerOptions, 'provider'>;
  tokenOptions?: Omit<TokenHandlerOptions, 'provider'>;
};

/** Authorization-server metadata. The issuer keeps the slash that `URL` adds to a bare host, because v1 clients may have stored it. */
export function createOAuthMetadata(options: Parameters<typeof newMetadata>[0]): ReturnType<typeof newMetadata> {
  return newMetadata({ ...options, issuerUrl: String(options.issuerUrl) });
}

/** Serves the endpoints of an authorization server around the program's own provider, at the root of the application. */
export function mcpAuthRouter(options: AuthRouterOptions): AuthRouter {
  const { authorizationOptions, clientRegistrationOptions = {}, revocationOptions, tokenOptions, ...rest } = options;
  return newRouter({
    ...rest,
    issuerUrl: String(rest.issuerUrl),
    registration: registrationOf(clientRegistrationOptions),
    rateLimits: {
      ...limitOf('authorize', authorizationOptions?.rateLimit),
      ...limitOf('register', clientRegistrationOptions.rateLimit),
      ...limitOf('revoke', revocationOptions?.rateLimit),
      ...limitOf('token', tokenOptions?.rateLimit),
    },
  });
}
