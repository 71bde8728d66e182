import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type ArgumentSpec, type Command } from '../../grammar/command.ts';

const NAME: ArgumentSpec = { name: 'name', says: 'a kept connection', completes: 'kept' };
const PRINTED = '{ roots: [{ uri, isReadable }], isTold }; isTold: the server was told that they have changed';

const ls: Command = defineCommand({
  path: ['roots', 'ls'],
  says: 'List the folders that a server may ask for.',
  about:
    'These are the folders of --root and roots add, or of the configuration. A server is told of those that can be read. For folders that you have typed, that is done without another question, unless a rule of the policy denies it.',
  arguments: [NAME],
  examples: [{ line: 'crosspoint roots ls ev', says: 'The folders of a kept connection.' }],
  prints: '{ roots: [{ uri, isReadable }] }',
  async run({ words: [name = ''] }, context) {
    const { listFolders } = await import('./changing.ts');
    await listFolders(name, context);
  },
});

const add: Command = defineCommand({
  path: ['roots', 'add'],
  says: 'Add folders that the server of a kept connection may ask for.',
  about:
    'They hold until the connection is closed. A server of the handshake family is told that its folders have changed; one of the per-request family asks for them with a call that needs them.',
  arguments: [NAME, { name: 'folder', says: 'the folders to add', isMany: true, completes: 'file' }],
  examples: [{ line: 'crosspoint roots add ev .', says: 'The folder that you are in.' }],
  prints: PRINTED,
  async run({ words: [name = '', ...folders] }, context) {
    if (folders.length === 0) throw new CliError('usage', 'FOLDER is missing.');
    const { addFolders } = await import('./changing.ts');
    await addFolders(name, folders, context);
  },
});

const rm: Command = defineCommand({
  path: ['roots', 'rm'],
  says: 'Remove folders from those that the server of a kept connection may ask for.',
  about: 'The server may have noted what it was told before. The configuration stays as it is.',
  arguments: [
    NAME,
    { name: 'folder', says: 'the folders to remove, or their file: addresses', isMany: true, completes: 'file' },
  ],
  examples: [{ line: 'crosspoint roots rm ev .', says: 'The folder that you are in.' }],
  prints: PRINTED,
  async run({ words: [name = '', ...folders] }, context) {
    const { removeFolders } = await import('./changing.ts');
    await removeFolders(name, folders, context);
  },
});

export const roots: readonly Command[] = [ls, add, rm];
