/** Turns any thrown value into an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** The message of a thrown value. */
export function errorMessage(thrown: unknown): string {
  return asError(thrown).message;
}
