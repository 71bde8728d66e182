/** A callback of the program that receives problems: failures that end nothing and that no caller waits for. */
export type ProblemListener<Rest extends unknown[] = []> = (problem: Error, ...rest: Rest) => unknown;

/** Turns any thrown value into an error. Never throws. */
export function asError(thrown: unknown): Error {
  try {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  } catch {
    return new Error('Something was thrown that cannot be written down.');
  }
}

/** The message of a thrown value. Never throws. */
export function errorMessage(thrown: unknown): string {
  return asError(thrown).message;
}

/** Reports a problem to the program. Never throws: an error that the listener itself throws, or rejects with, is dropped. */
export function report<Rest extends unknown[]>(
  listener: ProblemListener<Rest> | undefined,
  thrown: unknown,
  ...rest: Rest
): void {
  try {
    watch(listener?.(asError(thrown), ...rest), undefined);
  } catch {
    // An error of the listener itself is dropped.
  }
}

/**
 * Runs work that no caller waits for: a callback of the program that owes no answer, or work begun by an event or a timer. Never throws: an error
 * that it throws, or rejects with later, is reported.
 */
export function attempt(run: () => unknown, onproblem: ProblemListener | undefined): void {
  try {
    watch(run(), onproblem);
  } catch (error) {
    report(onproblem, error);
  }
}

/**
 * Returns the value that a synchronous callback gave. A promise throws a `TypeError`, because it would pass for an answer: as a truthy value, or
 * as one key for every caller. The promise's own outcome is ignored.
 */
export function atOnce<T>(given: T, callback: string): T {
  if (typeof given !== 'object' || given === null || !('then' in given)) return given;
  watch(given, undefined);
  throw new TypeError(`${callback} returned a promise; it must return its value synchronously.`);
}

/** Reports the rejection of a promise that no caller waits for. Any other value that a callback returns is ignored. */
function watch(returned: unknown, onproblem: ProblemListener | undefined): void {
  if (typeof returned === 'object' && returned !== null)
    Promise.resolve(returned).catch((error: unknown) => report(onproblem, error));
}
