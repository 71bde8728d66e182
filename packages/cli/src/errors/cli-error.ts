import { EXIT_CODES, type Ending } from './exit-codes.ts';

export interface CliErrorOptions {
  /** The remedy: what to do or to type next. */
  readonly hint?: string | undefined;
  /** A name that does not exist, and those that do: similar ones are shown. None of them is ever used in its place. */
  readonly mistyped?: { readonly word: string; readonly among: readonly string[] };
  readonly cause?: unknown;
}

/** An ending that the user can do something about. Its message and hint are all that is shown. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  readonly ending: Ending;
  readonly hint: string | undefined;
  readonly mistyped: CliErrorOptions['mistyped'];

  constructor(ending: Ending, message: string, { hint, mistyped, cause }: CliErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.ending = ending;
    this.hint = hint;
    this.mistyped = mistyped;
  }

  get exitCode(): number {
    return EXIT_CODES[this.ending];
  }
}
