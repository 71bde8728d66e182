import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';

export const add: Command = defineCommand({
  path: ['servers', 'add'],
  says: 'Configure a server under a name.',
  about:
    'It is written to your own configuration and not started. Secrets are not written there: env:VARIABLE is a reference to a variable, and the content of @FILE, or a secret in an argument or address, goes to the keychain, or to an encrypted file where CROSSPOINT_SECRETS_KEY is set.',
  target: 'needed',
  isTargetLast: true,
  targetSays: 'an address, FILE.mcpb, or "-- COMMAND ARGS" at the end',
  targetOptions: ['header', 'env', 'cwd', 'root'],
  arguments: [{ name: 'name', says: 'the name of the server: letters, digits, ".", "_" and "-"' }],
  options: {
    replace: { type: 'flag', says: 'Replace a server of that name.' },
    disabled: { type: 'flag', says: 'Configure it, and do not use it yet.' },
    trusted: { type: 'flag', says: 'Believe what the server says of its tools, such as that one only reads.' },
    references: {
      type: 'flag',
      says: 'Take ${env:NAME}, ${secret:NAME} and ${workspaceFolder} in words for references; otherwise they stand for themselves.',
    },
  },
  examples: [
    {
      line: 'crosspoint servers add files -- npx -y @modelcontextprotocol/server-filesystem@2026.1.14 /home/me/notes',
      says: 'A command.',
    },
    {
      line: 'crosspoint servers add issues https://example.com/mcp --header Authorization=@token.txt',
      says: 'An address; the header is kept as a secret.',
    },
    { line: 'crosspoint servers add weather weather.mcpb', says: 'A bundle.' },
  ],
  prints: '{ name, target, warnings, file, secrets: [name] }',
  async run({ target, words: [name = ''], options }, context) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const { addServer } = await import('./adding.ts');
    const added = await addServer(name, target, options, context);
    context.output.result(added, () =>
      [`Added ${added.name}: ${added.target}`, ...added.warnings.map((warning) => `! ${warning}`)].join('\n'),
    );
  },
});
