/** Turns any thrown value into an error. Never throws. */
export function asError(thrown: unknown): Error {
  try {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  } catch {
    return new Error('The thrown value cannot be converted to a string.');
  }
}

/** The message of a thrown value. */
export function errorMessage(thrown: unknown): string {
  return asError(thrown).message;
}

/** Runs a function whose result no caller awaits. Never throws: an error or rejection goes to `tell`; an error in `tell` is dropped. */
export function contain(run: () => unknown, tell?: (error: Error) => unknown): void {
  const failed = (thrown: unknown): void => {
    if (tell) contain(() => tell(asError(thrown)));
  };
  try {
    const given = run();
    if (typeof given === 'object' && given !== null) Promise.resolve(given).catch(failed);
  } catch (error) {
    failed(error);
  }
}
