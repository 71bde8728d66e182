import { OAuthError, type OAuthErrorCode } from '../../oauth-error.ts';

const STATUS: Readonly<Record<string, number>> = {
  invalid_client: 401,
  invalid_token: 401,
  insufficient_scope: 403,
  access_denied: 403,
  server_error: 500,
  temporarily_unavailable: 503,
  method_not_allowed: 405,
  too_many_requests: 429,
};

/** An error for the client, with its HTTP status. The message is sent, so it must contain no secret. */
export class OAuthFault extends OAuthError {
  override readonly name: string = 'OAuthFault';

  constructor(code: OAuthErrorCode, message: string, options: ErrorOptions & { status?: number } = {}) {
    super(code, printable(message), { message, status: options.status ?? STATUS[code] ?? 400, cause: options.cause });
  }
}

/** Thrown by a verifier: the token is malformed, expired, revoked, or issued for another server. */
export class InvalidTokenError extends OAuthFault {
  override readonly name: string = 'InvalidTokenError';

  constructor(message: string, options?: ErrorOptions) {
    super('invalid_token', message, options);
  }
}

/** The token is valid but lacks scopes. `scopes`: all that the operation needs. */
export class InsufficientScopeFault extends OAuthFault {
  override readonly name: string = 'InsufficientScopeError';
  readonly scopes: readonly string[];

  constructor(message: string, scopes: readonly string[] = [], options?: ErrorOptions) {
    super('insufficient_scope', message, options);
    this.scopes = scopes;
  }
}

/** HTTP status for an error. */
export function statusOf(error: OAuthError): number {
  return error.status ?? STATUS[error.code] ?? 400;
}

/** The characters allowed in `error_description`: printable ASCII without quotes and backslashes (RFC 6749, section 5.2). */
export function printable(text: string): string {
  return text.replaceAll(/["\\]/g, "'").replaceAll(/[^\x20-\x7e]/g, '?');
}
