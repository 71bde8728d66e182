import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { withDefaults, type Kind, type Language, type Transport } from './choices.ts';
import { CreateError } from './create-error.ts';
import { nextSteps } from './next-steps.ts';
import { projectName } from './project-name.ts';
import { templateFiles, type TemplateFile } from './template.ts';

export interface CreateProjectOptions {
  /** Where the project is written: a path that does not exist yet, or an empty folder. Its last part is the name of the project. */
  readonly folder: string;
  /** Default: `server`. */
  readonly kind?: Kind | undefined;
  /** Default: `typescript`. */
  readonly language?: Language | undefined;
  /** Default: `stdio`. */
  readonly transport?: Transport | undefined;
}

export interface CreatedProject {
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
  /** The files that were written, relative to the folder, with `/`. */
  readonly files: readonly string[];
  /** The next steps, in lines for a terminal. */
  readonly next: string;
}

/**
 * Writes a project: a server or a client with a test. Throws a `CreateError`, and writes nothing, when the name is not valid, or when the
 * folder has files in it.
 *
 * @example
 * const { folder, next } = createProject({ folder: 'weather', kind: 'server', transport: 'http' });
 * console.log(next);
 */
export function createProject(options: CreateProjectOptions): CreatedProject {
  const decided = withDefaults(options);
  const name = projectName(decided.folder);
  const folder = resolve(decided.folder);
  refuseUsed(folder);
  const files = templateFiles(decided, name);
  write(folder, files);
  return { name, folder, files: files.map(({ path }) => path), next: nextSteps(decided, { name, folder }) };
}

/** A repository without files counts as empty. */
function refuseUsed(folder: string): void {
  const found = inFolder(folder, () => statSync(folder, { throwIfNoEntry: false }));
  if (found === undefined) return;
  if (!found.isDirectory()) throw new CreateError(`${folder} is a file. Choose another folder.`);
  const [first] = inFolder(folder, () => readdirSync(folder)).filter((entry) => entry !== '.git');
  if (first !== undefined)
    throw new CreateError(`${folder} is not empty: ${first} is in it. Nothing was written; choose another folder.`);
}

function write(folder: string, files: readonly TemplateFile[]): void {
  for (const { path, text } of files) {
    const file = join(folder, path);
    inFolder(folder, () => {
      mkdirSync(dirname(file), { recursive: true });
      // A file that appeared meanwhile is left as it is.
      writeFileSync(file, text, { flag: 'wx' });
    });
  }
}

function inFolder<Result>(folder: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw new CreateError(`${folder} cannot be used: ${(error as Error).message}. Choose another folder.`, {
      cause: error,
    });
  }
}
