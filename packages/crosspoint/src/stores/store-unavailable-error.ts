import { ProtocolError } from '../protocol/errors.ts';

/**
 * The store could not be reached, or did not answer in time. Whether a change was made is unknown; trying again later is right. What
 * the peer is told of it is always the same; what happened is in `cause`.
 */
export class StoreUnavailableError extends ProtocolError {
  constructor(cause: unknown) {
    super(
      'internal',
      'The server cannot reach its store just now: try again.',
      { reason: 'store-unavailable' },
      { cause },
    );
  }
}

/** By what it says, since a program may hold two copies of this library. */
export function isStoreUnavailable(error: unknown): error is StoreUnavailableError {
  return (
    error instanceof Error &&
    'data' in error &&
    (error.data as { reason?: unknown } | undefined)?.reason === 'store-unavailable'
  );
}
