import { ProtocolError, isProtocolError, type FaultKind } from 'crosspoint';
import type { ServerContext } from 'crosspoint/server';
import { ErrorCode, McpError, toMcpError } from '../types/errors.ts';

/**
 * The error that v1 sends where a handler throws: the message of any error, with its number where it has one. An error of the protocol, and the one that ends
 * a call which runs again, stay as they are.
 */
export function errorAsV1(error: unknown): unknown {
  if (isProtocolError(error) || (error instanceof Error && error.name === 'Suspended')) return error;
  const { code, message, data } = (error ?? {}) as { code?: unknown; message?: unknown; data?: unknown };
  return new ProtocolError(
    Number.isSafeInteger(code) ? (code as number) : ErrorCode.InternalError,
    typeof message === 'string' ? message : 'Internal error',
    data,
    { cause: error },
  );
}

/** Errors that end a question of the per-request family. Its clients have to get them as errors of the protocol. */
const OF_QUESTIONS: ReadonlySet<FaultKind> = new Set(['missing-capability', 'cannot-ask', 'state-refused', 'diverged']);

/** The error that a tool failed with, which the model is told: v1 makes an exception of pages that the user must open, and of nothing else. */
export function toolErrorAsV1(error: unknown, { family }: ServerContext): unknown {
  if (!isProtocolError(error) || error.kind === 'url-elicitation-required') return error;
  const isOwn = !McpError.prototype.isPrototypeOf(error);
  if (isOwn && family === 'per-request' && OF_QUESTIONS.has(error.kind)) return error;
  return new Error((toMcpError(error) as Error).message, { cause: error });
}
