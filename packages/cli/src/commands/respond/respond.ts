import { defineCommand, type Command } from '../../grammar/command.ts';

export const respond: Command = defineCommand({
  path: ['respond'],
  says: 'Answer the questions of kept connections by rules, until it is ended.',
  about:
    'Questions that wait are answered first, then those that come. One that no rule matches goes to the command that made the call, or waits. Connections that are opened later are answered, too. Ctrl-C ends it; the exit code is 0 then.',
  arguments: [
    { name: 'name', says: 'the kept connections; all when absent', isOptional: true, isMany: true, completes: 'kept' },
  ],
  options: {
    rules: { type: 'text', value: 'FILE', completes: 'file', says: 'The rules; needed.' },
    count: {
      type: 'number',
      value: 'NUMBER',
      least: 1,
      most: 1_000_000,
      isWhole: true,
      says: 'End after so many answers.',
    },
  },
  examples: [
    { line: 'crosspoint respond --rules answers.json', says: 'For as long as a test runs.' },
    { line: 'crosspoint respond shop --rules answers.json --count 1', says: 'Answers one question.' },
  ],
  prints: 'a line for each answer: { connection, id, kind, title, action }',
  async run({ words, options }, context) {
    const { respondByRules } = await import('./responding.ts');
    return respondByRules(words, options, context);
  },
});
