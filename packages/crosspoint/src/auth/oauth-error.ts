/** Error codes of RFC 6749, 6750, 7009, 7591, 8707 and 9449; other values occur. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'unsupported_token_type'
  | 'invalid_scope'
  | 'access_denied'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'invalid_software_statement'
  | 'unapproved_software_statement'
  | 'invalid_target'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce'
  | 'too_many_requests'
  | 'method_not_allowed'
  | (string & {});

/** Error codes by name. */
export const OAuthErrorCode = {
  InvalidRequest: 'invalid_request',
  InvalidClient: 'invalid_client',
  InvalidGrant: 'invalid_grant',
  UnauthorizedClient: 'unauthorized_client',
  UnsupportedGrantType: 'unsupported_grant_type',
  InvalidScope: 'invalid_scope',
  AccessDenied: 'access_denied',
  ServerError: 'server_error',
  TemporarilyUnavailable: 'temporarily_unavailable',
  UnsupportedResponseType: 'unsupported_response_type',
  UnsupportedTokenType: 'unsupported_token_type',
  InvalidToken: 'invalid_token',
  MethodNotAllowed: 'method_not_allowed',
  TooManyRequests: 'too_many_requests',
  InvalidClientMetadata: 'invalid_client_metadata',
  InvalidRedirectUri: 'invalid_redirect_uri',
  InsufficientScope: 'insufficient_scope',
  InvalidTarget: 'invalid_target',
} as const;

/** Body of an error response. */
export interface OAuthErrorResponse {
  error: string;
  error_description?: string;
  error_uri?: string;
}

/** An OAuth error: the response of an authorization server, or the challenge of a resource server. */
export class OAuthError extends Error {
  override readonly name: string = 'OAuthError';
  readonly code: OAuthErrorCode;
  /** The `error_description` of the refusing server. */
  readonly description: string | undefined;
  readonly errorUri: string | undefined;
  /** HTTP status of the response, if there was one. */
  readonly status: number | undefined;

  constructor(
    code: OAuthErrorCode,
    description?: string,
    details: { errorUri?: string | undefined; status?: number | undefined; message?: string } & ErrorOptions = {},
  ) {
    super(
      details.message ?? (description === undefined || description === '' ? code : `${code}: ${description}`),
      details,
    );
    this.code = code;
    this.description = description;
    this.errorUri = details.errorUri;
    this.status = details.status;
  }

  /** The official SDK's name for `code`. */
  get errorCode(): OAuthErrorCode {
    return this.code;
  }

  /** The body of an error response. */
  toResponseObject(): OAuthErrorResponse {
    return {
      error: this.code,
      ...(this.description !== undefined && { error_description: this.description }),
      ...(this.errorUri !== undefined && { error_uri: this.errorUri }),
    };
  }
}
