/** A failure that the user of the program can do something about. Its message is all that is shown. */
export class ProgramError extends Error {
  override readonly name: string = 'ProgramError';
}
