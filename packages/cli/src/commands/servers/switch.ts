import { defineCommand, type Command } from '../../grammar/command.ts';

const ARGUMENTS = [
  { name: 'name', says: 'servers of your own configuration', isMany: true, completes: 'server' },
] as const;
const PRINTS = '{ servers: [name], file, isDisabled }';

export const enable: Command = defineCommand({
  path: ['servers', 'enable'],
  says: 'Use a configured server again.',
  arguments: ARGUMENTS,
  examples: [{ line: 'crosspoint servers enable files', says: 'It can be used from now on.' }],
  prints: PRINTS,
  run: async ({ words }, context) => {
    const { switchServers } = await import('./switching.ts');
    await switchServers(words, false, context);
  },
});

export const disable: Command = defineCommand({
  path: ['servers', 'disable'],
  says: 'Keep a configured server, and do not use it.',
  arguments: ARGUMENTS,
  examples: [{ line: 'crosspoint servers disable files', says: 'Commands refuse it until it is enabled.' }],
  prints: PRINTS,
  run: async ({ words }, context) => {
    const { switchServers } = await import('./switching.ts');
    await switchServers(words, true, context);
  },
});
