import type { ErrorObject } from '../../../jsonrpc/message.ts';
import { TransportError } from '../../../protocol/errors.ts';

/** An HTTP response that holds no answer of the protocol, as a value to decide by. */
export interface HttpFailure {
  readonly status: number;
  readonly contentType: string | undefined;
  /** Start of the body, with secrets masked. */
  readonly body: string;
  /** The JSON-RPC error in the body, whichever request it names. */
  readonly error: ErrorObject | undefined;
}

/** The HTTP failure behind an error or one of its causes. */
export function httpFailureOf(error: unknown): HttpFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof TransportError && error.details['http'] !== undefined)
    return error.details['http'] as HttpFailure;
  return error.cause === error ? undefined : httpFailureOf(error.cause);
}
