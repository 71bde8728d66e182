import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defineCommand, type Command } from '../../grammar/command.ts';

export const completion: Command = defineCommand({
  path: ['completion'],
  says: 'Print a script that completes words in bash, zsh or fish.',
  about:
    'The script completes commands, options and their values, names of servers, and, for a kept connection, the names of its tools, arguments, prompts, resources, tasks and requests. No server is started for it. Names that a shell would act on are left out.',
  arguments: [{ name: 'shell', says: 'bash, zsh or fish', words: ['bash', 'zsh', 'fish'] }],
  examples: [
    { line: 'crosspoint completion bash >> ~/.bashrc', says: 'For bash, from the next shell on.' },
    { line: 'crosspoint completion zsh > ~/.zsh/functions/_crosspoint', says: 'For zsh, in a folder of its $fpath.' },
    { line: 'crosspoint completion fish > ~/.config/fish/completions/crosspoint.fish', says: 'For fish.' },
  ],
  async run({ words: [shell] }, { io }) {
    // The scripts lie beside the folder of the program.
    io.stdout.write(await readFile(join(dirname(io.program), '..', 'completion', `crosspoint.${shell}`)));
  },
});
