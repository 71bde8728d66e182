import { TransportError } from '../../protocol/errors.ts';

/** The error of an aborted call: the reason given to `abort()`, as with `fetch`, or `TransportError` `aborted` when there is none. */
export function abortReason(what: string, signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  if (reason instanceof Error && reason.name !== 'AbortError') return reason;
  return new TransportError('aborted', `${what} was cancelled by the caller.`, {}, { cause: reason });
}

/** Resolves like `promise`, or rejects as soon as the signal aborts. The promise itself is not cancelled. */
export function untilAborted<T>(promise: Promise<T>, what: string, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(abortReason(what, signal));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Aborts `controller` when the signal does; the returned function removes the listener. */
export function follow(controller: AbortController, signal: AbortSignal | undefined): () => void {
  if (signal === undefined) return () => {};
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
