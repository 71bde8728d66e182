/** A refusal that the person can do something about: its message says what. Nothing has been written. */
export class CreateError extends Error {
  override readonly name = 'CreateError';
}
