export type { AuthorizationParams, OAuthServerProvider, OAuthTokenVerifier } from '../../../auth/server/index.ts';
