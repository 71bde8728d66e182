import { ProtocolError } from '../protocol/errors.ts';

/**
 * The store could not be reached, or did not answer in time. Whether a change was made is unknown; try again later. The peer always gets the same
 * message; `cause` holds the failure itself.
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

/** Recognises the error by its `data`, since a program may hold two copies of this library. */
export function isStoreUnavailable(error: unknown): error is StoreUnavailableError {
  return (
    error instanceof Error &&
    'data' in error &&
    (error.data as { reason?: unknown } | undefined)?.reason === 'store-unavailable'
  );
}
