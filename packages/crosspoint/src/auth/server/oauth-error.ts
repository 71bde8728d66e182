/** What OAuth calls a failure. The ones that are answered here, and no others. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'unsupported_token_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'access_denied'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce'
  | 'invalid_token'
  | 'insufficient_scope';

const STATUS: Partial<Record<OAuthErrorCode, number>> = {
  invalid_client: 401,
  invalid_token: 401,
  invalid_dpop_proof: 401,
  use_dpop_nonce: 401,
  insufficient_scope: 403,
  access_denied: 403,
  server_error: 500,
  temporarily_unavailable: 503,
};

/** A failure that the peer is told, in OAuth's words. The message is sent, so it must hold nothing secret. */
export class OAuthError extends Error {
  override readonly name: string = 'OAuthError';
  readonly errorCode: OAuthErrorCode;
  readonly status: number;

  constructor(errorCode: OAuthErrorCode, message: string, options?: ErrorOptions & { status?: number }) {
    super(message, options);
    this.errorCode = errorCode;
    this.status = options?.status ?? STATUS[errorCode] ?? 400;
  }

  /** The body of an error answer. */
  toResponseObject(): { error: string; error_description: string } {
    return { error: this.errorCode, error_description: printable(this.message) };
  }
}

/** To be thrown by a verifier: the token is malformed, has expired, was revoked, or was issued for another server. */
export class InvalidTokenError extends OAuthError {
  override readonly name: string = 'InvalidTokenError';

  constructor(message: string, options?: ErrorOptions) {
    super('invalid_token', message, options);
  }
}

/** The token is good, but does not reach far enough. `scopes` are all that the operation needs. */
export class InsufficientScopeError extends OAuthError {
  override readonly name: string = 'InsufficientScopeError';
  readonly scopes: readonly string[];

  constructor(message: string, scopes: readonly string[] = [], options?: ErrorOptions) {
    super('insufficient_scope', message, options);
    this.scopes = scopes;
  }
}

/** What may stand in `error_description`: printable ASCII without quotes and backslashes (RFC 6749, section 5.2). */
export function printable(text: string): string {
  return text.replaceAll(/["\\]/g, "'").replaceAll(/[^\x20-\x7e]/g, '?');
}
