/** Parts of the resource server that an authorization server is made of as well. For `@crosspoint/authorization-server`, as `crosspoint/internal` is for all. */
export { errorAnswer, jsonAnswer, pageAnswer, redirectAnswer, type Answer } from '../auth/server/http/answer.ts';
export { OAuthFault, statusOf } from '../auth/server/http/oauth-fault.ts';
export { serveRoutes, type Routes, type Served } from '../auth/server/http/routes.ts';
export { isSameSecret, randomText } from '../auth/server/http/secret-text.ts';
export { DpopProofs } from '../auth/server/resource/dpop-proof.ts';
export { SIGNATURE_ALGORITHMS, isTokenFault } from '../auth/server/resource/jwt-verifier.ts';
export { issuerText } from '../auth/server/resource/protected-resource.ts';
export { isSameResource, requireResource } from '../auth/server/resource/resource-uri.ts';
export { coversScopes, readScopes, requireScopes, type ScopeHierarchy } from '../auth/server/resource/scopes.ts';
export { authorizationServerMetadataUrls } from '../auth/well-known.ts';
export { randomSecret, secretBytes, type Secret } from '../runtime/secret.ts';
export type { HttpHeaders } from '../transports/http/server/adapters/exchange.ts';
export { partyAt } from '../transports/http/server/guards/party.ts';
