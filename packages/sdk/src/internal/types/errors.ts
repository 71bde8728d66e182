/** Errors by number, as v1 programs create and read them. */
import { ProtocolError, TransportError, isProtocolError } from 'crosspoint';
import type { ElicitRequestURLParams } from './elicitation.ts';

const CODES = {
  ConnectionClosed: -32000,
  RequestTimeout: -32001,
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  UrlElicitationRequired: -32042,
} as const;

export type ErrorCode = (typeof CODES)[keyof typeof CODES];

/** The numbers by name, and the names by number: `ErrorCode[-32602]` is `'InvalidParams'`. */
export const ErrorCode: {
  readonly ConnectionClosed: -32000;
  readonly RequestTimeout: -32001;
  readonly ParseError: -32700;
  readonly InvalidRequest: -32600;
  readonly MethodNotFound: -32601;
  readonly InvalidParams: -32602;
  readonly InternalError: -32603;
  readonly UrlElicitationRequired: -32042;
  readonly [code: number]: string;
} = Object.freeze({
  ...CODES,
  ...Object.fromEntries(Object.entries(CODES).map(([name, code]) => [code, name])),
});

/**
 * A protocol error with its number. A handler that throws one sends that number; the message begins with it, as in v1. Every
 * `ProtocolError` of this library is an instance, from whichever entry it was thrown.
 */
export class McpError extends ProtocolError {
  override readonly name: string = 'McpError';

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    const prefix = `MCP error ${code}: `;
    super(code, message.startsWith(prefix) ? message : prefix + message, data, options);
  }

  /** The error that a peer sent, in its own class where the number has one. */
  static fromError(code: number, message: string, data?: unknown): McpError {
    const elicitations = code === ErrorCode.UrlElicitationRequired ? elicitationsOf(data) : undefined;
    return elicitations === undefined
      ? new McpError(code, message, data)
      : new UrlElicitationRequiredError(elicitations, message);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === McpError ? isProtocolError(value) : this.prototype.isPrototypeOf(Object(value));
  }
}

/** Thrown by a handler that needs the user to open these pages first. */
export class UrlElicitationRequiredError extends McpError {
  constructor(elicitations: ElicitRequestURLParams[], message = 'The user must open a page first.') {
    super(ErrorCode.UrlElicitationRequired, message, { elicitations });
  }

  get elicitations(): ElicitRequestURLParams[] {
    return elicitationsOf(this.data) ?? [];
  }
}

function elicitationsOf(data: unknown): ElicitRequestURLParams[] | undefined {
  const value: unknown = (data as { elicitations?: unknown } | null | undefined)?.elicitations;
  return Array.isArray(value) ? value : undefined;
}

const TIMEOUTS: ReadonlySet<string> = new Set(['connect-timeout', 'idle-timeout', 'total-timeout', 'stale']);
const CLOSED: ReadonlySet<string> = new Set(['closed', 'child-exited', 'session-lost', 'delivery-unknown']);

/**
 * Converts an error of this library's client into what v1 programs expect: an `McpError` with a number, for protocol errors, timeouts and
 * closed connections. Other errors stay unchanged. The original is its `cause`.
 */
export function toMcpError(error: unknown): unknown {
  if (error instanceof TransportError) {
    if (TIMEOUTS.has(error.code))
      return new McpError(ErrorCode.RequestTimeout, error.message, error.details, { cause: error });
    if (CLOSED.has(error.code))
      return new McpError(ErrorCode.ConnectionClosed, error.message, undefined, { cause: error });
    return error;
  }
  if (!isProtocolError(error) || McpError.prototype.isPrototypeOf(error)) return error;
  const made = McpError.fromError(error.code, error.message, error.data);
  made.cause = error;
  return made;
}
