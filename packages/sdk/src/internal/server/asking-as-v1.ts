import { TransportError, isProtocolError, type ClientCapabilities, type JsonObject } from 'crosspoint';
import type { RequestOptions as CallOptions } from 'crosspoint/server';
import { DEFAULT_REQUEST_TIMEOUT_MSEC, type RequestOptions } from '../shared/protocol-options.ts';
import { ErrorCode, McpError, toMcpError } from '../types/errors.ts';

/** A request to a client with a handshake, and the capabilities that the client has declared. */
export interface Question {
  readonly request: { readonly method: string; readonly params?: JsonObject | undefined };
  readonly declared: ClientCapabilities | undefined;
}

/** Sends a request to a client with a handshake: with the limits of v1, and its errors. */
export async function askAsV1<T>(
  question: Question,
  send: (options: CallOptions) => Promise<T>,
  options: RequestOptions = {},
): Promise<T> {
  options.signal?.throwIfAborted();
  try {
    return await send({ ...options, ...limitsOf(options) });
  } catch (error) {
    if (isProtocolError(error) && error.kind === 'missing-capability') throw refusalAsV1(question, error);
    throw failureAsV1(error, options);
  }
}

/** The answer of v1's client to what it has not declared: v1 asks it all the same, and it refuses. */
function refusalAsV1({ request, declared }: Question, cause: Error): McpError {
  if (request.method !== 'elicitation/create' || declared?.elicitation === undefined)
    return new McpError(ErrorCode.MethodNotFound, 'Method not found', undefined, { cause });
  const mode = request.params?.['mode'] === 'url' ? 'URL' : 'form';
  const message = `Client does not support ${mode}-mode elicitation requests`;
  return new McpError(ErrorCode.InvalidParams, message, undefined, { cause });
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
