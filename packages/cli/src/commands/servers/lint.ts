import { defineCommand, type Command } from '../../grammar/command.ts';
import { FORMATS } from './convert.ts';

export const lint: Command = defineCommand({
  path: ['servers', 'lint'],
  says: 'Check configuration files, and say what is wrong and where.',
  about:
    'Files of every host are checked: syntax, members, references, secrets that are written as they are, and commands that are risky. Exit code 7 when there is an error. Without a file, your own and those of this folder are checked.',
  arguments: [{ name: 'file', says: 'the files to check', isOptional: true, isMany: true, completes: 'file' }],
  options: {
    format: {
      type: 'text',
      value: 'FORMAT',
      words: FORMATS,
      says: 'The format of the files, where it cannot be told.',
    },
    strict: { type: 'flag', says: 'Warnings are errors, too.' },
  },
  examples: [{ line: 'crosspoint servers lint .mcp.json', says: 'In a job of CI.' }],
  prints:
    '{ files: [{ file, format, servers: [name] }], problems: [{ severity, code, message, file, pointer?, line?, column?, server? }] }',
  endings: ['mismatch'],
  async run({ words, options }, context) {
    const { lintFiles, lintText } = await import('./linting.ts');
    const found = await lintFiles(words, options.format, context);
    context.output.result(found, () => lintText(found, context.output.colours));
    const isFault = found.problems.some(({ severity }) => severity === 'error' || options.strict);
    return isFault ? 'mismatch' : 'ok';
  },
});
