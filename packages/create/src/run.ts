import { withDefaults } from './choices.ts';
import { CreateError } from './create-error.ts';
import { createProject } from './create-project.ts';
import { HELP, readFlags } from './flags.ts';
import { projectName } from './project-name.ts';
import { askForRest } from './questions.ts';

/** The command `create-crosspoint`: reads its arguments, asks where there is a terminal, and gives the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    const { given, help, yes } = readFlags(args);
    if (help) {
      console.log(HELP);
      return 0;
    }
    if (given.folder !== undefined) projectName(given.folder);
    const { stdin: input, stdout: output } = process;
    const asks = !yes && input.isTTY && output.isTTY;
    const decided = asks ? await askForRest(given, { input, output }) : withDefaults(given);
    console.log(createProject(decided).next);
    return 0;
  } catch (error) {
    if (!(error instanceof CreateError)) throw error;
    console.error(error.message);
    return 1;
  }
}
