import { basename, resolve } from 'node:path';
import { CreateError } from './create-error.ts';

const MOST_CHARACTERS = 100;
const NAME = /^[a-z0-9][a-z0-9._-]*$/;

/** A project with one of these names could not install the package of that name, or not be found beside it. */
const TAKEN: ReadonlySet<string> = new Set([
  'crosspoint',
  'zod',
  'typescript',
  'oxlint',
  'node_modules',
  'favicon.ico',
]);

/** The name of the project in a folder: the last part of its path, which must be a name that npm takes. Throws a `CreateError`. */
export function projectName(folder: string): string {
  const name = basename(resolve(folder));
  const fault = nameFault(name);
  if (fault === undefined) return name;
  throw new CreateError(`The name "${name}" cannot be used: ${fault}. Choose another folder, for example my-server.`);
}

function nameFault(name: string): string | undefined {
  if (name === '') return 'it is empty';
  if (name.length > MOST_CHARACTERS)
    return `it has ${name.length} characters, and at most ${MOST_CHARACTERS} are allowed`;
  if (!NAME.test(name))
    return 'a name has lower-case letters, digits, dots, hyphens and underscores, and begins with a letter or a digit';
  return TAKEN.has(name) ? 'it is the name of a package that the project needs, or is reserved' : undefined;
}
