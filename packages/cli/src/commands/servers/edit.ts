import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';

export const edit: Command = defineCommand({
  path: ['servers', 'edit'],
  says: 'Change a configured server.',
  about:
    'Only what is named is changed, and comments in the file stay. --env and --header add or replace one each. A new command or address replaces the old one, with its variables and headers.',
  target: 'optional',
  isTargetLast: true,
  targetSays: 'an address, FILE.mcpb, or "-- COMMAND ARGS" at the end',
  targetOptions: ['header', 'env', 'cwd', 'root'],
  arguments: [{ name: 'name', says: 'a server of your own configuration', completes: 'server' }],
  options: {
    rename: { type: 'text', value: 'NAME', says: 'Give it another name. What was allowed to it is forgotten.' },
    'unset-env': { type: 'texts', value: 'NAME', says: 'Take a variable away.' },
    'unset-header': { type: 'texts', value: 'NAME', says: 'Take a header away.' },
    'call-timeout': {
      type: 'number',
      value: 'SECONDS',
      least: 0.001,
      most: 86_400,
      says: 'The longest silence of a call.',
    },
    enable: { type: 'flag', says: 'Use it.' },
    disable: { type: 'flag', says: 'Do not use it.' },
    trusted: { type: 'flag', says: 'Believe what the server says of its tools.' },
    untrusted: { type: 'flag', says: 'Believe nothing that the server says of its tools.' },
    references: {
      type: 'flag',
      says: 'Take ${env:NAME}, ${secret:NAME} and ${workspaceFolder} in words for references.',
    },
  },
  examples: [
    { line: 'crosspoint servers edit issues --header Authorization=env:ISSUES_AUTH', says: 'Another header.' },
    { line: 'crosspoint servers edit files -- node server.mjs', says: 'Another command.' },
  ],
  prints: '{ name, target, warnings, file, secrets: [name] }',
  async run({ target, words: [name = ''], options }, context) {
    const { editServer } = await import('./editing.ts');
    if (options.enable && options.disable) throw new CliError('usage', '--enable and --disable exclude each other.');
    if (options.trusted && options.untrusted)
      throw new CliError('usage', '--trusted and --untrusted exclude each other.');
    const edited = await editServer(name, target, options, context);
    context.output.result(edited, () =>
      [`${edited.name}: ${edited.target}`, ...edited.warnings.map((warning) => `! ${warning}`)].join('\n'),
    );
  },
});
