import { defineCommand, type Command } from '../../grammar/command.ts';

export const rm: Command = defineCommand({
  path: ['servers', 'rm'],
  says: 'Remove a server from your configuration.',
  about: 'With it go the secrets and inputs that were kept for it, and everything that was allowed to it.',
  arguments: [{ name: 'name', says: 'the servers to remove', isMany: true, completes: 'server' }],
  examples: [{ line: 'crosspoint servers rm files', says: 'Removes one.' }],
  prints: '{ removed: [name], file, secrets: [name] }',
  async run({ words }, context) {
    const { removeServers } = await import('./removing.ts');
    const removed = await removeServers([...new Set(words)], context);
    context.output.result(removed, () => `Removed: ${removed.removed.join(', ')}`);
  },
});
