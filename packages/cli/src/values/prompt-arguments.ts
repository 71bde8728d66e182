import type { Prompt } from 'crosspoint/client';
import { CliError } from '../errors/cli-error.ts';

/** Throws for a name that is no argument of the prompt. */
export function requireArguments({ name, arguments: known = [] }: Prompt, given: readonly string[]): void {
  const names = known.map((one) => one.name);
  const unknown = given.find((one) => !names.includes(one));
  if (unknown !== undefined)
    throw new CliError('usage', `The prompt ${JSON.stringify(name)} has no argument ${JSON.stringify(unknown)}.`, {
      hint: 'Nothing was sent.',
      mistyped: { word: unknown, among: names },
    });
}

/** Throws where an argument is missing that the prompt requires. */
export function requireAll({ name, arguments: known = [] }: Prompt, given: Readonly<Record<string, string>>): void {
  const missing = known.filter((one) => one.required === true && !Object.hasOwn(given, one.name));
  if (missing.length > 0)
    throw new CliError(
      'usage',
      `The prompt ${JSON.stringify(name)} needs ${missing.map((one) => JSON.stringify(one.name)).join(', ')}.`,
      {
        hint: `Nothing was sent. Add ${missing.map((one) => `${JSON.stringify(one.name).slice(1, -1)}=TEXT`).join(' ')}.`,
      },
    );
}
