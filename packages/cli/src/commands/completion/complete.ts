import { defineCommand, type Command } from '../../grammar/command.ts';
import { completeWords } from './complete-words.ts';

export const complete: Command = defineCommand({
  path: ['__complete'],
  says: 'Complete a command line.',
  about:
    'Takes the words typed after "crosspoint", and prints "words" or "files", then the words that fit, one a line.',
  isHidden: true,
  isRaw: true,
  arguments: [{ name: 'word', says: 'the words typed; the last one is completed', isOptional: true, isMany: true }],
  examples: [{ line: 'crosspoint __complete tools ca', says: 'Called by the script of crosspoint completion.' }],
  async run({ words }, { io, home, groups, signal }) {
    const place = { home, cwd: io.cwd, env: io.env, signal };
    const { kind, found } = await completeWords(words, groups, place).catch(() => ({ kind: 'words', found: [] }));
    io.stdout.write(`${[kind, ...found].join('\n')}\n`);
  },
});
