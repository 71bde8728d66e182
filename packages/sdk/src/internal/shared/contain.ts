/** Turns any thrown value into an error. Never throws. */
function asError(thrown: unknown): Error {
  try {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  } catch {
    return new Error('Something was thrown that cannot be written down.');
  }
}

/** Runs what nobody waits for. Never throws: what it throws, or rejects with later, is told; and what is thrown then is dropped. */
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
