/** A callback of the program that is told of what went wrong. */
export type ProblemListener<Rest extends unknown[] = []> = (problem: Error, ...rest: Rest) => unknown;

/** Turns any thrown value into an error. Never throws. */
export function asError(thrown: unknown): Error {
  try {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  } catch {
    return new Error('Something was thrown that cannot be written down.');
  }
}

/** What a thrown value says. Never throws. */
export function errorMessage(thrown: unknown): string {
  return asError(thrown).message;
}

/** Tells the program of a problem. Never throws: what the listener throws or rejects with is dropped, since there is no one else to tell. */
export function report<Rest extends unknown[]>(
  listener: ProblemListener<Rest> | undefined,
  thrown: unknown,
  ...rest: Rest
): void {
  try {
    watch(listener?.(asError(thrown), ...rest), undefined);
  } catch {
    // See above.
  }
}

/**
 * Runs what nobody waits for: a callback of the program that owes no answer, the work that an event or a timer begins. Never throws: what
 * it throws, or rejects with later, is reported.
 */
export function attempt(run: () => unknown, onproblem: ProblemListener | undefined): void {
  try {
    watch(run(), onproblem);
  } catch (error) {
    report(onproblem, error);
  }
}

/**
 * The value that a synchronous callback gave. A promise is refused, because it would pass for an answer: one that is always true, or the
 * same for everybody. What becomes of it is ignored.
 */
export function atOnce<T>(given: T, callback: string): T {
  if (typeof given !== 'object' || given === null || !('then' in given)) return given;
  watch(given, undefined);
  throw new TypeError(`${callback} gave a promise, but has to answer at once.`);
}

/** A promise that nobody waits for. Anything else that a callback may return is ignored. */
function watch(returned: unknown, onproblem: ProblemListener | undefined): void {
  if (typeof returned === 'object' && returned !== null)
    Promise.resolve(returned).catch((error: unknown) => report(onproblem, error));
}
