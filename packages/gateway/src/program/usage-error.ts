/** A command line that cannot be carried out. The message says what is wrong and what to write instead. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}
