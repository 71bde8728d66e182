import { TransportError } from '../../protocol/errors.ts';

/** What an aborted call rejects with: the caller's own reason where it gave one, as `fetch` does. */
export function abortReason(what: string, signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  if (reason instanceof Error && reason.name !== 'AbortError') return reason;
  return new TransportError('aborted', `${what} was cancelled by the caller.`, {}, { cause: reason });
}

/** The promise, or a rejection as soon as the signal is aborted. What the promise does afterwards is nobody's business. */
export function untilAborted<T>(promise: Promise<T>, what: string, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(abortReason(what, signal));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Aborts `controller` when the signal is; the returned function undoes that. */
export function follow(controller: AbortController, signal: AbortSignal | undefined): () => void {
  if (signal === undefined) return () => {};
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
