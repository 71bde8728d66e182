import { CliError } from '../errors/cli-error.ts';
import { readArguments } from './read-arguments.ts';

/** The texts that words say: `NAME=TEXT`, `NAME=@FILE` and `NAME:="TEXT"`. Throws a `CliError` for everything else. */
export function readTexts(words: readonly string[], cwd: string): Readonly<Record<string, string>> {
  return textsOf(readArguments(words, { type: 'object' }, cwd));
}

/** The members of an object, all of which must be texts. */
export function textsOf(given: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (typeof value === 'string') return [name, value];
      throw new CliError('usage', `The argument ${JSON.stringify(name)} must be a text, and is JSON of another kind.`, {
        hint: `Nothing was sent. Write ${name}=TEXT.`,
      });
    }),
  );
}
