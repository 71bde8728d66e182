/**
 * Which rule a login failed at. `resource-metadata`, `server-metadata`: the document cannot be used. `resource-mismatch`: it is about another
 * server. `no-pkce`: codes could be stolen. `registration`: no way to become a client there. `callback`: the answer that came back
 * from the browser is not the one to our question. `token-answer`: what came from the token endpoint is no token. `unavailable`: the
 * authorization server is out of order, and what is known stays as it is. `needs-user`: a person has to log in. `cancelled`: nobody did.
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

/** A login, or a part of it, failed on a rule. The message says what happened, at whom, and what to do; it holds no secret. */
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

/** An authorization server is not who it should be: in its metadata, or in an answer that came through the browser. */
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
        : `The answer to the login came from another authorization server (issuer ${is}) than the one that was asked (${expected}), so the code is not used.`,
      { expected, received },
    );
    this.kind = kind;
    this.expected = expected;
    this.received = received;
  }
}

/**
 * The authorization server does not take this client.
 * @deprecated Dynamic client registration is deprecated by PR 2858, in favour of client ID metadata documents; the earliest revision without it is the first on or after 2027-07-28.
 */
export class RegistrationRejectedError extends AuthFlowError {
  override readonly name: string = 'RegistrationRejectedError';
  readonly status: number;
  /** The error of the answer, where it has one. */
  readonly code: string | undefined;

  constructor(message: string, status: number, code: string | undefined) {
    super('registration', message, { status, code });
    this.status = status;
    this.code = code;
  }
}

/** What was registered or begun with one authorization server was about to be used with another one. */
export class AuthorizationServerMismatchError extends AuthFlowError {
  override readonly name: string = 'AuthorizationServerMismatchError';
  readonly recordedIssuer: string;
  readonly currentIssuer: string;

  constructor(recordedIssuer: string, currentIssuer: string) {
    super(
      'registration',
      `These client credentials belong to ${recordedIssuer}, but the server now names ${currentIssuer} as its authorization server. They are not shown to it. Register with the new one, or find out why it changed.`,
      { recordedIssuer, currentIssuer },
    );
    this.recordedIssuer = recordedIssuer;
    this.currentIssuer = currentIssuer;
  }
}

/** The token is good but does not reach far enough, and another login does not help. */
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

/** Whether trying again later may help, and what is kept must not be thrown away. */
export function isTemporary(error: unknown): boolean {
  return error instanceof AuthFlowError && error.fault === 'unavailable';
}
