import { TransportError, isProtocolError } from 'crosspoint';
import type { RequestOptions as CallOptions } from 'crosspoint/server';
import { DEFAULT_REQUEST_TIMEOUT_MSEC, type RequestOptions } from '../shared/protocol-options.ts';
import { ErrorCode, McpError, toMcpError } from '../types/errors.ts';

/** Sends a request to a client with a handshake: with the limits of v1, and its errors. */
export async function askAsV1<T>(send: (options: CallOptions) => Promise<T>, options: RequestOptions = {}): Promise<T> {
  options.signal?.throwIfAborted();
  try {
    return await send({ ...options, ...limitsOf(options) });
  } catch (error) {
    throw failureAsV1(error, options);
  }
}

/** Progress extends the wait only where that is wanted. A limit of 0 ends it as soon as possible; here, 0 would be no limit. */
function limitsOf(options: RequestOptions): { timeout: number; maxTotalTimeout?: number } {
  const timeout = Math.max(1, options.timeout ?? DEFAULT_REQUEST_TIMEOUT_MSEC);
  const { maxTotalTimeout = Infinity, resetTimeoutOnProgress } = options;
  const total = resetTimeoutOnProgress === true ? maxTotalTimeout : Math.min(maxTotalTimeout, timeout);
  return { timeout, maxTotalTimeout: total };
}

function failureAsV1(error: unknown, { signal, timeout, maxTotalTimeout }: RequestOptions): unknown {
  if (signal?.aborted === true)
    return McpError.prototype.isPrototypeOf(Object(signal.reason))
      ? signal.reason
      : new McpError(ErrorCode.RequestTimeout, String(signal.reason), undefined, { cause: error });
  if (isProtocolError(error) && error.kind === 'missing-capability')
    return new McpError(ErrorCode.MethodNotFound, 'Method not found', undefined, { cause: error });
  const code = error instanceof TransportError ? error.code : undefined;
  if (code === 'total-timeout' && maxTotalTimeout !== undefined && maxTotalTimeout < (timeout ?? Infinity))
    return new McpError(ErrorCode.RequestTimeout, 'Maximum total timeout exceeded', { maxTotalTimeout });
  if (code === 'idle-timeout' || code === 'total-timeout')
    return new McpError(ErrorCode.RequestTimeout, 'Request timed out', {
      timeout: timeout ?? DEFAULT_REQUEST_TIMEOUT_MSEC,
    });
  if (code === 'closed') return new McpError(ErrorCode.ConnectionClosed, 'Connection closed');
  if (code === 'aborted') return new McpError(ErrorCode.ConnectionClosed, 'Request was cancelled');
  return toMcpError(error);
}
