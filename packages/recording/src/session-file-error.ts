/** A session file that cannot be read, or a line of it. */
export class SessionFileError extends Error {
  override readonly name: string = 'SessionFileError';
  /** Number of the line, from 1. */
  readonly line: number;

  constructor(message: string, line: number, options?: ErrorOptions) {
    super(message, options);
    this.line = line;
  }
}
