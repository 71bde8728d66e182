import { defineCommand, type Command } from '../../grammar/command.ts';
import { FORMATS } from './convert.ts';

export const importServers: Command = defineCommand({
  path: ['servers', 'import'],
  says: 'Take over servers from other hosts.',
  about:
    'The files of Claude Desktop, Claude Code, VS Code and Cursor are looked for, of the user and of this folder, or one file is named. The servers are shown with their whole commands, and written to your own configuration after a yes. The other files are not changed. Secrets in them go to the keychain, or to the encrypted file where CROSSPOINT_SECRETS_KEY is set.',
  arguments: [{ name: 'name', says: 'the servers to take; all when absent', isOptional: true, isMany: true }],
  options: {
    from: { type: 'text', value: 'FILE', completes: 'file', says: 'Take them from this file alone.' },
    format: { type: 'text', value: 'FORMAT', words: FORMATS, says: 'The format of the file, where it cannot be told.' },
    replace: { type: 'flag', says: 'Replace servers of the same names.' },
    yes: { type: 'flag', says: 'Take them without a question.' },
  },
  examples: [
    { line: 'crosspoint servers import', says: 'Shows what other hosts have, and asks.' },
    { line: 'crosspoint servers import files --from ~/.cursor/mcp.json --yes', says: 'One server of one file.' },
  ],
  prints:
    '{ added: [{ name, target, warnings, from }], skipped: [{ name, from, why }], lost: [{ file, pointer, server?, why }], problems, secrets: [name], file, isDone }',
  endings: ['denied'],
  async run({ words, options }, context) {
    const { importInto } = await import('./importing.ts');
    await importInto(words, options, context);
  },
});
