/** Turns any thrown value into an error. Never throws. */
export function asError(thrown: unknown): Error {
  try {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  } catch {
    return new Error('Something was thrown that cannot be written down.');
  }
}

/** The message of a thrown value. */
export function errorMessage(thrown: unknown): string {
  return asError(thrown).message;
}

/**
 * Calls a function of the program that owes no answer. Never throws: an error that it throws, or that the promise it returns rejects with, is
 * given to `onerror`, whose own errors are dropped.
 */
export function attempt(call: () => unknown, onerror: (error: Error) => unknown = () => {}): void {
  try {
    const given = call();
    if (typeof given === 'object' && given !== null)
      Promise.resolve(given).catch((error: unknown) => attempt(() => onerror(asError(error))));
  } catch (error) {
    attempt(() => onerror(asError(error)));
  }
}

/** The value that a synchronous function of the program gave. A promise throws, and its own outcome is ignored. */
export function atOnce<T>(given: T): T {
  if (typeof given !== 'object' || given === null || !('then' in given)) return given;
  attempt(() => given);
  throw new TypeError('The function must return its value, and returned a promise.');
}

/** Settles as the work does, or rejects with the reason of the signal when that aborts first: for work of the program that may never end. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onabort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onabort = () => reject(asError(signal.reason));
    if (signal.aborted) onabort();
    else signal.addEventListener('abort', onabort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onabort);
  }
}
