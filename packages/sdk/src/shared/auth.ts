/** `shared/auth.js` of v1: OAuth documents as types and zod schemas. */
import * as z from 'zod/v4';
import type { LooseOf, ObjectOf } from '../internal/types/schema-of.ts';
import { OptionalSafeUrlSchema, SafeUrlSchema } from '../internal/shared/safe-url.ts';

export { OptionalSafeUrlSchema, SafeUrlSchema } from '../internal/shared/safe-url.ts';

const list = z.array(z.string());

/** RFC 9728. */
export type OAuthProtectedResourceMetadata = {
  [name: string]: unknown;
  resource: string;
  authorization_servers?: string[] | undefined;
  jwks_uri?: string | undefined;
  scopes_supported?: string[] | undefined;
  bearer_methods_supported?: string[] | undefined;
  resource_signing_alg_values_supported?: string[] | undefined;
  resource_name?: string | undefined;
  resource_documentation?: string | undefined;
  resource_policy_uri?: string | undefined;
  resource_tos_uri?: string | undefined;
  tls_client_certificate_bound_access_tokens?: boolean | undefined;
  authorization_details_types_supported?: string[] | undefined;
  dpop_signing_alg_values_supported?: string[] | undefined;
  dpop_bound_access_tokens_required?: boolean | undefined;
};

export const OAuthProtectedResourceMetadataSchema: LooseOf<OAuthProtectedResourceMetadata> = z.looseObject({
  resource: z.url(),
  authorization_servers: z.array(SafeUrlSchema).optional(),
  jwks_uri: z.url().optional(),
  scopes_supported: list.optional(),
  bearer_methods_supported: list.optional(),
  resource_signing_alg_values_supported: list.optional(),
  resource_name: z.string().optional(),
  resource_documentation: z.string().optional(),
  resource_policy_uri: z.url().optional(),
  resource_tos_uri: z.url().optional(),
  tls_client_certificate_bound_access_tokens: z.boolean().optional(),
  authorization_details_types_supported: list.optional(),
  dpop_signing_alg_values_supported: list.optional(),
  dpop_bound_access_tokens_required: z.boolean().optional(),
});

/** A token response, RFC 6749 section 5.1, and the server it came from. */
export type OAuthTokens = {
  access_token: string;
  id_token?: string | undefined;
  token_type: string;
  /** Seconds from when it was issued. */
  expires_in?: number | undefined;
  scope?: string | undefined;
  refresh_token?: string | undefined;
  issuer?: string | undefined;
};

/** A value that is no string counts as no issuer, and does not invalidate the token. */
const issuer = z
  .string()
  .catch(undefined as unknown as string)
  .optional();

export const OAuthTokensSchema: ObjectOf<OAuthTokens> = z.object({
  access_token: z.string(),
  id_token: z.string().optional(),
  token_type: z.string(),
  expires_in: z.coerce.number().optional(),
  scope: z.string().optional(),
  refresh_token: z.string().optional(),
  issuer,
});

export type OAuthErrorResponse = {
  error: string;
  error_description?: string | undefined;
  error_uri?: string | undefined;
};

export const OAuthErrorResponseSchema: ObjectOf<OAuthErrorResponse> = z.object({
  error: z.string(),
  error_description: z.string().optional(),
  error_uri: z.string().optional(),
});

/** RFC 7591. */
export type OAuthClientMetadata = {
  redirect_uris: string[];
  token_endpoint_auth_method?: string | undefined;
  grant_types?: string[] | undefined;
  response_types?: string[] | undefined;
  client_name?: string | undefined;
  client_uri?: string | undefined;
  logo_uri?: string | undefined;
  scope?: string | undefined;
  contacts?: string[] | undefined;
  tos_uri?: string | undefined;
  policy_uri?: string | undefined;
  jwks_uri?: string | undefined;
  jwks?: unknown;
  software_id?: string | undefined;
  software_version?: string | undefined;
  software_statement?: string | undefined;
};

export const OAuthClientMetadataSchema: ObjectOf<OAuthClientMetadata> = z.object({
  redirect_uris: z.array(SafeUrlSchema),
  token_endpoint_auth_method: z.string().optional(),
  grant_types: list.optional(),
  response_types: list.optional(),
  client_name: z.string().optional(),
  client_uri: SafeUrlSchema.optional(),
  logo_uri: OptionalSafeUrlSchema,
  scope: z.string().optional(),
  contacts: list.optional(),
  tos_uri: OptionalSafeUrlSchema,
  policy_uri: z.string().optional(),
  jwks_uri: SafeUrlSchema.optional(),
  jwks: z.unknown().optional(),
  software_id: z.string().optional(),
  software_version: z.string().optional(),
  software_statement: z.string().optional(),
});

/** The identity of a client at one authorization server. */
export type OAuthClientInformation = {
  client_id: string;
  client_secret?: string | undefined;
  /** Seconds since the epoch. */
  client_id_issued_at?: number | undefined;
  /** Seconds since the epoch; 0 or absent means never. */
  client_secret_expires_at?: number | undefined;
  issuer?: string | undefined;
};
export type OAuthClientInformationFull = OAuthClientMetadata & OAuthClientInformation;
export type OAuthClientInformationMixed = OAuthClientInformation | OAuthClientInformationFull;

export const OAuthClientInformationSchema: ObjectOf<OAuthClientInformation> = z.object({
  client_id: z.string(),
  client_secret: z.string().optional(),
  client_id_issued_at: z.number().optional(),
  client_secret_expires_at: z.number().optional(),
  issuer,
});
export const OAuthClientInformationFullSchema: ObjectOf<OAuthClientInformationFull> = z.object({
  ...OAuthClientMetadataSchema.shape,
  ...OAuthClientInformationSchema.shape,
});

export type OAuthClientRegistrationError = { error: string; error_description?: string | undefined };
/** RFC 7009. */
export type OAuthTokenRevocationRequest = { token: string; token_type_hint?: string | undefined };

export const OAuthClientRegistrationErrorSchema: ObjectOf<OAuthClientRegistrationError> = z.object({
  error: z.string(),
  error_description: z.string().optional(),
});
export const OAuthTokenRevocationRequestSchema: ObjectOf<OAuthTokenRevocationRequest> = z.object({
  token: z.string(),
  token_type_hint: z.string().optional(),
});

export {
  OAuthMetadataSchema,
  OpenIdProviderDiscoveryMetadataSchema,
  OpenIdProviderMetadataSchema,
  type AuthorizationServerMetadata,
  type OAuthMetadata,
  type OpenIdProviderDiscoveryMetadata,
  type OpenIdProviderMetadata,
} from '../internal/shared/authorization-server-metadata.ts';
