import { OAuthError as NewOAuthError } from 'crosspoint/auth';
import type { OAuthErrorResponse } from '../../shared/auth.ts';

/** The classes of this file, which recognise errors of this library by their code, whichever class created them. */
const byCode = new WeakSet<object>();

/** An OAuth error. A provider that throws one decides what its client is told. */
export class OAuthError extends NewOAuthError {
  static errorCode: string = '';
  override readonly name: string;

  constructor(message: string, errorUri?: string, code: string = new.target.errorCode) {
    super(code, message, { message, errorUri });
    this.name = new.target.name;
  }

  /** The body of an error response, with the code and the message that the error has now. */
  override toResponseObject(): OAuthErrorResponse & { error_description: string; error_uri?: string } {
    const { errorCode, message, errorUri } = this;
    return { error: errorCode, error_description: message, ...(errorUri && { error_uri: errorUri }) };
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this === OAuthError) return value instanceof NewOAuthError;
    if (byCode.has(this)) return value instanceof NewOAuthError && value.code === this.errorCode;
    return Object.prototype.isPrototypeOf.call(this.prototype, Object(value));
  }
}

export class InvalidRequestError extends OAuthError {
  static override errorCode: string = 'invalid_request';
}

export class InvalidClientError extends OAuthError {
  static override errorCode: string = 'invalid_client';
}

export class InvalidGrantError extends OAuthError {
  static override errorCode: string = 'invalid_grant';
}

export class UnauthorizedClientError extends OAuthError {
  static override errorCode: string = 'unauthorized_client';
}

export class UnsupportedGrantTypeError extends OAuthError {
  static override errorCode: string = 'unsupported_grant_type';
}

export class InvalidScopeError extends OAuthError {
  static override errorCode: string = 'invalid_scope';
}

export class AccessDeniedError extends OAuthError {
  static override errorCode: string = 'access_denied';
}

export class ServerError extends OAuthError {
  static override errorCode: string = 'server_error';
}

export class TemporarilyUnavailableError extends OAuthError {
  static override errorCode: string = 'temporarily_unavailable';
}

export class UnsupportedResponseTypeError extends OAuthError {
  static override errorCode: string = 'unsupported_response_type';
}

export class UnsupportedTokenTypeError extends OAuthError {
  static override errorCode: string = 'unsupported_token_type';
}

export class InvalidTokenError extends OAuthError {
  static override errorCode: string = 'invalid_token';
}

export class MethodNotAllowedError extends OAuthError {
  static override errorCode: string = 'method_not_allowed';
}

export class TooManyRequestsError extends OAuthError {
  static override errorCode: string = 'too_many_requests';
}

export class InvalidClientMetadataError extends OAuthError {
  static override errorCode: string = 'invalid_client_metadata';
}

export class InsufficientScopeError extends OAuthError {
  static override errorCode: string = 'insufficient_scope';
}

export class InvalidTargetError extends OAuthError {
  static override errorCode: string = 'invalid_target';
}

/** An error with a code that has no class of its own. */
export class CustomOAuthError extends OAuthError {
  constructor(customErrorCode: string, message: string, errorUri?: string) {
    super(message, errorUri, customErrorCode);
  }
}

const CLASSES = [
  InvalidRequestError,
  InvalidClientError,
  InvalidGrantError,
  UnauthorizedClientError,
  UnsupportedGrantTypeError,
  InvalidScopeError,
  AccessDeniedError,
  ServerError,
  TemporarilyUnavailableError,
  UnsupportedResponseTypeError,
  UnsupportedTokenTypeError,
  InvalidTokenError,
  MethodNotAllowedError,
  TooManyRequestsError,
  InvalidClientMetadataError,
  InsufficientScopeError,
  InvalidTargetError,
];
for (const each of CLASSES) byCode.add(each);

/** The classes by their codes. */
export const OAUTH_ERRORS: Readonly<Record<string, typeof InvalidRequestError>> = Object.freeze(
  Object.fromEntries(CLASSES.map((each) => [each.errorCode, each])),
);
