export type { AuthorizationParams, OAuthServerProvider, OAuthTokenVerifier } from 'crosspoint/auth/server';
