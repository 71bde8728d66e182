import { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR } from '../jsonrpc/codes.ts';

/**
 * The kind of a failure, the same in every revision. The number on the wire belongs to the revision: a missing resource has one number in one
 * family and another in the other.
 */
export type FaultKind =
  | 'parse-error'
  | 'invalid-request'
  | 'method-not-found'
  | 'invalid-params'
  | 'internal'
  | 'resource-not-found'
  | 'tool-not-found'
  | 'prompt-not-found'
  | 'url-elicitation-required'
  | 'header-mismatch'
  | 'missing-capability'
  | 'unsupported-version'
  | 'user-rejected'
  | 'rate-limited'
  /** A call with an idempotency key that cannot be answered; `data.reason` says why. */
  | 'idempotency-conflict'
  | 'cannot-ask'
  | 'state-refused'
  | 'diverged'
  /** A code that the peer or the program chose; it has no meaning to this library. */
  | 'other';

/** The code of each kind, unless a revision has another. */
export const FAULT_CODES: Readonly<Record<Exclude<FaultKind, 'other'>, number>> = {
  'parse-error': PARSE_ERROR,
  'invalid-request': INVALID_REQUEST,
  'method-not-found': METHOD_NOT_FOUND,
  'invalid-params': INVALID_PARAMS,
  internal: INTERNAL_ERROR,
  'resource-not-found': -32002,
  'tool-not-found': INVALID_PARAMS,
  'prompt-not-found': INVALID_PARAMS,
  'url-elicitation-required': -32042,
  'header-mismatch': -32020,
  'missing-capability': -32021,
  'unsupported-version': -32022,
  'user-rejected': -1,
  'rate-limited': 429,
  'idempotency-conflict': 409,
  'cannot-ask': INTERNAL_ERROR,
  'state-refused': INVALID_PARAMS,
  diverged: INTERNAL_ERROR,
};

const KINDS_BY_CODE: ReadonlyMap<number, FaultKind> = /* @__PURE__ */ new Map(
  // Where kinds share a code, the first of them is meant.
  Object.entries(FAULT_CODES)
    .map(([kind, code]) => [code, kind as FaultKind] as const)
    .toReversed(),
);

/** The kind that a code has where no revision says otherwise. */
export function kindOfCode(code: number): FaultKind {
  return KINDS_BY_CODE.get(code) ?? 'other';
}

/** `code` replaces the code of the kind: the number that the peer really sent. */
export interface ProtocolErrorOptions extends ErrorOptions {
  code?: number;
}

/**
 * A failure that is sent to the peer, or was received from it. Made from a kind, or from a code as programs written for other libraries
 * do; `data` is sent along, so it must hold nothing secret.
 */
export class ProtocolError extends Error {
  override readonly name: string = 'ProtocolError';
  readonly kind: FaultKind;
  readonly code: number;
  readonly data: unknown;

  constructor(what: FaultKind | number, message: string, data?: unknown, options?: ProtocolErrorOptions) {
    super(message, options);
    if (typeof what === 'number') {
      this.code = Number.isInteger(what) ? what : INTERNAL_ERROR;
      this.kind = kindOfCode(this.code);
    } else {
      this.kind = what;
      this.code = options?.code ?? (what === 'other' ? INTERNAL_ERROR : FAULT_CODES[what]);
    }
    this.data = data;
  }
}

/** Also true for errors of another copy of this library in the same process. */
export function isProtocolError(value: unknown): value is ProtocolError {
  return (
    value instanceof ProtocolError ||
    (value instanceof Error && value.name === 'ProtocolError' && 'kind' in value && 'code' in value)
  );
}

export type TransportErrorCode =
  | 'closed'
  | 'aborted'
  | 'connect-timeout'
  | 'idle-timeout'
  | 'total-timeout'
  | 'stale'
  | 'delivery-unknown'
  | 'spawn-failed'
  | 'child-exited'
  | 'too-large'
  | 'bad-frame'
  | 'write-failed'
  | 'negotiation-failed'
  | 'invalid-result'
  /** Details: `status`, `contentType`, the start of the `body`, and `error` where the body holds one. */
  | 'http'
  /** No HTTP answer at all. */
  | 'network'
  | 'session-lost'
  | 'unauthorized';

/** A failure on this side; nothing of it is sent to the peer. `details` holds the members documented for its code, and never a secret. */
export class TransportError extends Error {
  override readonly name: string = 'TransportError';
  readonly code: TransportErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: TransportErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.details = details;
  }

  /** `details`, under its name in the official SDK. */
  get data(): Readonly<Record<string, unknown>> {
    return this.details;
  }
}

/** Thrown by a tool to tell the model that it failed; the message becomes the content of an `isError` result. */
export class ToolError extends Error {
  override readonly name: string = 'ToolError';
}

/** Turns any failure into one that may cross the wire. The message of an unknown error is never sent: it becomes "Internal error". */
export function toProtocolError(error: unknown): ProtocolError {
  return isProtocolError(error) ? error : new ProtocolError('internal', 'Internal error', undefined, { cause: error });
}
