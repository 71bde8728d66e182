/** Metadata of authorization servers: RFC 8414, section 2, and OpenID Connect Discovery 1.0, section 3. */
import * as z from 'zod/v4';
import type { LooseOf, ObjectOf } from '../types/schema-of.ts';
import { SafeUrlSchema } from './safe-url.ts';

type Optional<Names extends string, Value> = { [Name in Names]?: Value | undefined };
type OptionalShape<Names extends string, Schema extends z.ZodType> = { [Name in Names]: z.ZodOptional<Schema> };

/** Optional members that share one schema. */
function optional<Names extends string, Schema extends z.ZodType>(
  schema: Schema,
  names: readonly Names[],
): OptionalShape<Names, Schema> {
  return Object.fromEntries(names.map((name) => [name, schema.optional()])) as OptionalShape<Names, Schema>;
}

const list = z.array(z.string());

/** Members of both documents. */
const SHARED_LISTS = [
  'scopes_supported',
  'response_modes_supported',
  'grant_types_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'ui_locales_supported',
] as const;

type Shared = Optional<(typeof SHARED_LISTS)[number], string[]> & {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  response_types_supported: string[];
  registration_endpoint?: string | undefined;
  op_policy_uri?: string | undefined;
  op_tos_uri?: string | undefined;
  /** OAuth Client ID Metadata Documents. */
  client_id_metadata_document_supported?: boolean | undefined;
};

const shared = {
  ...optional(list, SHARED_LISTS),
  issuer: z.string(),
  authorization_endpoint: SafeUrlSchema,
  token_endpoint: SafeUrlSchema,
  response_types_supported: list,
  registration_endpoint: SafeUrlSchema.optional(),
  op_policy_uri: SafeUrlSchema.optional(),
  op_tos_uri: SafeUrlSchema.optional(),
  client_id_metadata_document_supported: z.boolean().optional(),
};

const OAUTH_LISTS = [
  'code_challenge_methods_supported',
  'revocation_endpoint_auth_methods_supported',
  'revocation_endpoint_auth_signing_alg_values_supported',
  'introspection_endpoint_auth_methods_supported',
  'introspection_endpoint_auth_signing_alg_values_supported',
] as const;

/** RFC 8414. */
export type OAuthMetadata = { [name: string]: unknown } & Shared &
  Optional<(typeof OAUTH_LISTS)[number], string[]> & {
    service_documentation?: string | undefined;
    revocation_endpoint?: string | undefined;
    introspection_endpoint?: string | undefined;
  };

export const OAuthMetadataSchema: LooseOf<OAuthMetadata> = z.looseObject({
  ...shared,
  ...optional(list, OAUTH_LISTS),
  service_documentation: SafeUrlSchema.optional(),
  revocation_endpoint: SafeUrlSchema.optional(),
  introspection_endpoint: z.string().optional(),
});

const OPENID_LISTS = [
  'acr_values_supported',
  'display_values_supported',
  'claim_types_supported',
  'claims_supported',
  'claims_locales_supported',
  'id_token_encryption_alg_values_supported',
  'id_token_encryption_enc_values_supported',
  'userinfo_signing_alg_values_supported',
  'userinfo_encryption_alg_values_supported',
  'userinfo_encryption_enc_values_supported',
  'request_object_signing_alg_values_supported',
  'request_object_encryption_alg_values_supported',
  'request_object_encryption_enc_values_supported',
] as const;
const OPENID_FLAGS = [
  'claims_parameter_supported',
  'request_parameter_supported',
  'request_uri_parameter_supported',
  'require_request_uri_registration',
] as const;

type OpenId = Shared &
  Optional<(typeof OPENID_LISTS)[number], string[]> &
  Optional<(typeof OPENID_FLAGS)[number], boolean> & {
    jwks_uri: string;
    subject_types_supported: string[];
    id_token_signing_alg_values_supported: string[];
    userinfo_endpoint?: string | undefined;
    service_documentation?: string | undefined;
  };

const openId = {
  ...shared,
  ...optional(list, OPENID_LISTS),
  ...optional(z.boolean(), OPENID_FLAGS),
  jwks_uri: SafeUrlSchema,
  subject_types_supported: list,
  id_token_signing_alg_values_supported: list,
  userinfo_endpoint: SafeUrlSchema.optional(),
  service_documentation: z.string().optional(),
};

/** OpenID Connect Discovery 1.0. */
export type OpenIdProviderMetadata = { [name: string]: unknown } & OpenId;
/** OpenID Connect Discovery, with the PKCE methods of OAuth. Unlisted members are dropped. */
export type OpenIdProviderDiscoveryMetadata = OpenId & { code_challenge_methods_supported?: string[] | undefined };
export type AuthorizationServerMetadata = OAuthMetadata | OpenIdProviderDiscoveryMetadata;

export const OpenIdProviderMetadataSchema: LooseOf<OpenIdProviderMetadata> = z.looseObject(openId);
export const OpenIdProviderDiscoveryMetadataSchema: ObjectOf<OpenIdProviderDiscoveryMetadata> = z.object({
  ...openId,
  code_challenge_methods_supported: list.optional(),
});
