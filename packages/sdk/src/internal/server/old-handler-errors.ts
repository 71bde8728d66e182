import { ProtocolError, isProtocolError } from 'crosspoint';
import { ErrorCode } from '../types/errors.ts';

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
