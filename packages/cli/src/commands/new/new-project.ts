import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';

type Kind = 'server' | 'client';
interface Choices {
  readonly folder: string | undefined;
  readonly language: 'typescript' | 'javascript' | undefined;
  readonly transport: 'stdio' | 'http' | undefined;
  readonly yes: boolean;
}

/** `new server` and `new client`: the projects of `npm create crosspoint`. */
export function newCommand(kind: Kind): Command {
  return defineCommand({
    path: ['new', kind],
    says: `Write a new project with a ${kind} and its test.`,
    about: `The folder must be new or empty; its name is that of the project. Asks on a terminal for what is not given; elsewhere, and with --yes, it is a ${kind} in TypeScript over stdio in the folder my-${kind}. Next come npm install, npm test, npm run lint and npm start.`,
    arguments: [{ name: 'folder', says: 'a new or empty folder', isOptional: true, completes: 'file' }],
    options: {
      language: { type: 'text', value: 'LANGUAGE', words: ['typescript', 'javascript'], says: 'The language.' },
      transport: {
        type: 'text',
        value: 'TRANSPORT',
        words: ['stdio', 'http'],
        says: 'Started by its host (stdio), or reached at an address (http).',
      },
      yes: { type: 'flag', short: 'y', says: 'Ask nothing.' },
    },
    examples: [
      { line: `crosspoint new ${kind} weather`, says: 'Asks for the language and the transport.' },
      {
        line: `crosspoint new ${kind} weather --language javascript --transport http --yes`,
        says: 'Asks nothing.',
      },
    ],
    prints: '{ name, folder, files: [path] }',
    run: ({ words: [folder], options }, context) => {
      const { language, transport, yes } = options as Omit<Choices, 'folder'>;
      return write(kind, { folder, language, transport, yes }, context);
    },
  });
}

async function write(
  kind: Kind,
  { yes, ...choices }: Choices,
  { io: { stdin, stderr }, output }: CommandContext,
): Promise<void> {
  const { askForRest, createProject, CreateError, projectName } = await import('create-crosspoint');
  try {
    if (choices.folder !== undefined) projectName(choices.folder);
    const asks = !yes && stdin.isTTY && stderr.isTTY;
    const given = { kind, ...choices };
    const decided = asks
      ? await askForRest(given, { input: stdin, output: stderr })
      : { ...given, folder: choices.folder ?? `my-${kind}` };
    const { name, folder, files, next } = createProject(decided);
    output.result({ name, folder, files }, () => next);
  } catch (error) {
    if (error instanceof CreateError) throw new CliError('usage', error.message, { cause: error });
    throw error;
  }
}
