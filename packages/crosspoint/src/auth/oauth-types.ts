/** OAuth documents as they are on the wire, with the names of their RFCs. Unlisted members are kept. */

/** Protected-resource metadata, RFC 9728. */
export interface OAuthProtectedResourceMetadata {
  resource: string;
  authorization_servers?: string[];
  jwks_uri?: string;
  scopes_supported?: string[];
  bearer_methods_supported?: string[];
  resource_signing_alg_values_supported?: string[];
  resource_name?: string;
  resource_documentation?: string;
  resource_policy_uri?: string;
  resource_tos_uri?: string;
  tls_client_certificate_bound_access_tokens?: boolean;
  authorization_details_types_supported?: string[];
  dpop_signing_alg_values_supported?: string[];
  dpop_bound_access_tokens_required?: boolean;
  [name: string]: unknown;
}

/** Authorization-server metadata: RFC 8414, with additions of RFC 9207, OpenID Connect Discovery and the drafts that MCP uses. */
export interface AuthorizationServerMetadata {
  issuer: string;
  authorization_endpoint?: string;
  token_endpoint?: string;
  registration_endpoint?: string;
  revocation_endpoint?: string;
  introspection_endpoint?: string;
  jwks_uri?: string;
  scopes_supported?: string[];
  response_types_supported?: string[];
  response_modes_supported?: string[];
  grant_types_supported?: string[];
  token_endpoint_auth_methods_supported?: string[];
  token_endpoint_auth_signing_alg_values_supported?: string[];
  revocation_endpoint_auth_methods_supported?: string[];
  introspection_endpoint_auth_methods_supported?: string[];
  code_challenge_methods_supported?: string[];
  service_documentation?: string;
  authorization_response_iss_parameter_supported?: boolean;
  client_id_metadata_document_supported?: boolean;
  dpop_signing_alg_values_supported?: string[];
  authorization_grant_profiles_supported?: string[];
  [name: string]: unknown;
}

export type OAuthMetadata = AuthorizationServerMetadata;

/** Client metadata: RFC 7591, with `application_type` of OpenID Connect Registration. */
export interface OAuthClientMetadata {
  redirect_uris: (string | URL)[];
  token_endpoint_auth_method?: string;
  grant_types?: string[];
  response_types?: string[];
  client_name?: string;
  client_uri?: string;
  logo_uri?: string;
  scope?: string;
  contacts?: string[];
  tos_uri?: string;
  policy_uri?: string;
  jwks_uri?: string;
  jwks?: unknown;
  software_id?: string;
  software_version?: string;
  software_statement?: string;
  application_type?: 'native' | 'web';
}

/** The identity of a client at one authorization server. */
export interface OAuthClientInformation {
  client_id: string;
  client_secret?: string;
  /** Seconds since the epoch. */
  client_id_issued_at?: number;
  /** Seconds since the epoch; 0 or absent means never. */
  client_secret_expires_at?: number;
}

export type OAuthClientInformationFull = OAuthClientMetadata & OAuthClientInformation;

export type OAuthClientInformationMixed = OAuthClientInformation | OAuthClientInformationFull;

/** A token response, RFC 6749 section 5.1. */
export interface OAuthTokens {
  access_token: string;
  token_type: string;
  id_token?: string;
  /** Seconds from the time of issue. */
  expires_in?: number;
  scope?: string;
  refresh_token?: string;
}

/** A token to revoke, RFC 7009. */
export interface OAuthTokenRevocationRequest {
  token: string;
  token_type_hint?: string;
}

/** Why a registration was refused, RFC 7591 section 3.2.2. */
export interface OAuthClientRegistrationError {
  error: string;
  error_description?: string;
}

/** The response that holds an identity assertion for another authorization server. */
export interface IdJagTokenExchangeResponse {
  access_token: string;
  issued_token_type: string;
  token_type: string;
  expires_in?: number;
  scope?: string;
}

/** Additional metadata of an OpenID provider. */
export type OpenIdProviderMetadata = AuthorizationServerMetadata & {
  subject_types_supported?: string[];
  id_token_signing_alg_values_supported?: string[];
  userinfo_endpoint?: string;
};
export type OpenIdProviderDiscoveryMetadata = OpenIdProviderMetadata;
