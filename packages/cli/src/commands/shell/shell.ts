import { resolve } from 'node:path';
import { defineCommand, type Command } from '../../grammar/command.ts';

export const openShell: Command = defineCommand({
  path: ['shell'],
  says: 'Open a prompt at which each line is a command.',
  about:
    'A line is a command without the word crosspoint: tools ls files. Servers that are named by a word are opened by one host when they are first named, and stay open for the next lines; a command after "--" is started anew for each line. Words are split at spaces; quotes hold them together, and nothing else is expanded. The tab key completes, the arrow keys give earlier lines. Ctrl-C cancels the command that runs, or gives up the line; on an empty line it ends the shell, as do exit and Ctrl-D. Where stdin is no terminal, its lines are carried out one after the other; the exit code is that of the first one that failed. Lines with a secret, and those that begin with a space, are not written to the history.',
  arguments: [
    {
      name: 'server',
      says: 'servers to open at once; others are opened when they are named',
      isOptional: true,
      isMany: true,
      completes: 'server',
    },
  ],
  options: {
    history: {
      type: 'text',
      value: 'FILE',
      completes: 'file',
      says: 'Keep the lines in this file; in your own folder when absent.',
    },
  },
  examples: [
    { line: 'crosspoint shell', says: 'Opens a prompt; servers ls lists the servers, help all commands.' },
    { line: 'crosspoint shell files github', says: 'Connects to two configured servers first.' },
    { line: "printf 'show files\\ntools ls files\\n' | crosspoint shell", says: 'Two commands, one connection.' },
  ],
  async run({ words, options }, context) {
    const { runShell } = await import('./run-shell.ts');
    const history = options.history === undefined ? undefined : resolve(context.io.cwd, options.history);
    return runShell(words, history, context);
  },
});
