import type { ErrorObject } from '../../../jsonrpc/message.ts';
import { TransportError } from '../../../protocol/errors.ts';

/** An HTTP answer that is not the answer of the protocol, as a value: what decisions are made from. */
export interface HttpFailure {
  readonly status: number;
  readonly contentType: string | undefined;
  /** The start of it, without secrets. */
  readonly body: string;
  /** The JSON-RPC error that is the body, whichever request it names. */
  readonly error: ErrorObject | undefined;
}

/** The failure that an error, or what caused it, tells of. */
export function httpFailureOf(error: unknown): HttpFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof TransportError && error.details['http'] !== undefined)
    return error.details['http'] as HttpFailure;
  return error.cause === error ? undefined : httpFailureOf(error.cause);
}
