/** Calls a function of the program that owes no answer. An error that it throws, or rejects with, goes to `onproblem`; one of that is dropped. */
export function guarded(run: () => unknown, onproblem?: (problem: Error) => unknown): void {
  const report = (thrown: unknown): void => {
    if (onproblem !== undefined) guarded(() => onproblem(asError(thrown)));
  };
  try {
    const given = run();
    if (typeof given === 'object' && given !== null) Promise.resolve(given).catch(report);
  } catch (error) {
    report(error);
  }
}

/** Any thrown value as an error. */
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
