export { classifyAddress, type AddressClass } from './outbound/address-class.ts';
export { OutboundError, type OutboundFault } from './outbound/outbound-error.ts';
export { createOutboundFetch } from './outbound/outbound-fetch.ts';
export {
  addressFault,
  openFault,
  OUTBOUND_LIMITS,
  policyFor,
  urlFault,
  type FetchLike,
  type OutboundPolicy,
} from './outbound/policy.ts';
export { parseChallenges, writeChallenge, type Challenge } from './challenge.ts';
export { OAuthError, type OAuthErrorCode } from './oauth-error.ts';
export type {
  AuthorizationServerMetadata,
  OAuthClientInformation,
  OAuthClientInformationFull,
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthMetadata,
  OAuthProtectedResourceMetadata,
  OAuthTokens,
} from './oauth-types.ts';
export { canonicalResource, resourceCovers, scopeCovers, scopeList, scopeUnion } from './resource-identifier.ts';
export { authorizationServerMetadataUrls, protectedResourceMetadataUrls, type MetadataLocation } from './well-known.ts';
