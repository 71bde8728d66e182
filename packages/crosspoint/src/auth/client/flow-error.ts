/**
 * The rule that a login failed at. `resource-metadata`, `server-metadata`: the document is unusable. `resource-mismatch`: it describes
 * another server. `issuer-mismatch`: its issuer is another one. `no-pkce`: codes would be unprotected. `registration`: no way to become a
 * client there. `callback`: the redirect does not answer our request. `token-answer`: the token endpoint returned no token. `unavailable`:
 * the authorization server is down; stored credentials are kept. `insufficient-scope`: the token lacks a scope that a login cannot add.
 * `needs-user`: a person has to log in. `cancelled`: the login was not completed. `configuration`: the program's settings are wrong.
 */
export type AuthFault =
  | 'resource-metadata'
  | 'resource-mismatch'
  | 'server-metadata'
  | 'issuer-mismatch'
  | 'no-pkce'
  | 'registration'
  | 'callback'
  | 'token-answer'
  | 'unavailable'
  | 'insufficient-scope'
  | 'needs-user'
  | 'cancelled'
  | 'configuration';

/** A login failed. The message says what happened, at which server, and what to do; it contains no secret. */
export class AuthFlowError extends Error {
  override readonly name: string = 'AuthFlowError';
  readonly fault: AuthFault;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    fault: AuthFault,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.fault = fault;
    this.details = details;
  }
}

/** The issuer is not the expected one: in metadata, or in a redirect. */
export class IssuerMismatchError extends AuthFlowError {
  override readonly name: string = 'IssuerMismatchError';
  readonly kind: 'metadata' | 'authorization_response';
  readonly expected: string;
  readonly received: string | undefined;

  constructor(kind: 'metadata' | 'authorization_response', expected: string, received: string | undefined) {
    const is = received === undefined ? 'none' : JSON.stringify(received.slice(0, 200));
    super(
      kind === 'metadata' ? 'issuer-mismatch' : 'callback',
      kind === 'metadata'
        ? `The metadata of the authorization server ${expected} names another issuer, ${is}, so it is not used. Its operator has to fix that: both must be the same text. If you know that it is the right one, set overrides.issuer for this server to what it says.`
        : received === undefined
          ? `The answer to the login does not name its issuer, which the authorization server ${expected} announces for every answer (iss), so the code is not used. Pass the whole query of the redirect, not the code alone.`
          : `The answer to the login came from another authorization server (issuer ${is}) than the one that was asked (${expected}), so the code is not used.`,
      { expected, received },
    );
    this.kind = kind;
    this.expected = expected;
    this.received = received;
  }
}

/**
 * The authorization server refused to register this client.
 * @deprecated Dynamic client registration is deprecated by PR 2858, in favour of client ID metadata documents; the earliest revision
 * without it is the first on or after 2027-07-28.
 */
export class RegistrationRejectedError extends AuthFlowError {
  override readonly name: string = 'RegistrationRejectedError';
  readonly status: number;
  /** The `error` of the response, if it has one. */
  readonly code: string | undefined;

  constructor(message: string, status: number, code: string | undefined) {
    super('registration', message, { status, code });
    this.status = status;
    this.code = code;
  }
}

/** A registration or login of one authorization server was about to be used with another. */
export class AuthorizationServerMismatchError extends AuthFlowError {
  override readonly name: string = 'AuthorizationServerMismatchError';
  readonly recordedIssuer: string;
  readonly currentIssuer: string;

  constructor(recordedIssuer: string, currentIssuer: string) {
    super(
      'registration',
      `These client credentials belong to ${recordedIssuer}, but the server now names ${currentIssuer} as its authorization server. They are not sent there. Register with the new one, or find out why it changed.`,
      { recordedIssuer, currentIssuer },
    );
    this.recordedIssuer = recordedIssuer;
    this.currentIssuer = currentIssuer;
  }
}

/** The token is valid but lacks a scope, and another login would not add it. */
export class InsufficientScopeError extends AuthFlowError {
  override readonly name: string = 'InsufficientScopeError';
  readonly requiredScope: string | undefined;

  constructor(requiredScope: string | undefined, why: string) {
    super(
      'insufficient-scope',
      `The server wants ${requiredScope === undefined ? 'more rights' : `the scope "${requiredScope}"`} for this request, and ${why}.`,
      { requiredScope },
    );
    this.requiredScope = requiredScope;
  }
}

/** Whether the error is temporary: retry later, and keep stored credentials. */
export function isTemporary(error: unknown): boolean {
  return error instanceof AuthFlowError && error.fault === 'unavailable';
}
