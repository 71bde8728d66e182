import { SSEClientTransport, TransportError, UnauthorizedError, httpFailureOf } from 'crosspoint/client';
import type { StreamFailure } from './event-source.ts';
import { ErrorCode, McpError, toMcpError } from '../types/errors.ts';

/** An HTTP response without an answer of the protocol; `code` is its status. */
export class StreamableHTTPError extends Error {
  readonly code: number | undefined;

  constructor(code: number | undefined, message: string | undefined, options?: ErrorOptions) {
    super(`Streamable HTTP error: ${message}`, options);
    this.code = code;
  }
}

/**
 * The stream of the HTTP+SSE transport could not be opened; `code` is the status of the response.
 * @deprecated HTTP+SSE is deprecated by SEP-2596; the earliest removal is three months after that became final.
 */
export class SseError extends Error {
  readonly code: number | undefined;
  readonly event: StreamFailure;

  constructor(code: number | undefined, message: string | undefined, event: StreamFailure, options?: ErrorOptions) {
    super(`SSE error: ${message}`, options);
    this.code = code;
    this.event = event;
  }
}

/** Converts the error of a call into the classes of v1. The original is its `cause`. */
export function toOldError(error: unknown, transport: unknown): unknown {
  if (!(error instanceof TransportError) || error instanceof UnauthorizedError) return toMcpError(error);
  const { code, message } = error;
  if (code === 'invalid-result') return new McpError(ErrorCode.InvalidParams, message, error.details, { cause: error });
  const status = httpFailureOf(error)?.status;
  if (code !== 'http' && code !== 'network' && status === undefined) return toMcpError(error);
  return transport instanceof SSEClientTransport
    ? new SseError(status, message, { type: 'error', message, code: status }, { cause: error })
    : status === undefined
      ? error
      : new StreamableHTTPError(status, message, { cause: error });
}
