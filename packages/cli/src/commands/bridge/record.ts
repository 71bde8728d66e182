import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';
import { BRIDGE_OPTIONS } from './bridge-options.ts';
import { serve } from './serve.ts';

export const record: Command = defineCommand({
  path: ['record'],
  says: 'Write what a client and a server say to each other into a session file.',
  about:
    'A bridge that records: give it to the client in place of the server. It has every option of crosspoint bridge. The file holds both sides, without secrets; only you may read it, and one that exists is never written over.',
  target: 'needed',
  targetOptions: ['family', 'revision', 'header', 'env', 'cwd'],
  options: {
    to: { type: 'text', value: 'FILE', completes: 'file', says: 'The session file; needed.' },
    ...BRIDGE_OPTIONS,
  },
  examples: [
    {
      line: 'crosspoint record --to session.jsonl --listen 127.0.0.1:3000 -- node server.mjs',
      says: 'For a client that is given http://127.0.0.1:3000/mcp.',
    },
    {
      line: 'crosspoint record files --to session.jsonl',
      says: 'For a client that starts this command in place of the configured server.',
    },
  ],
  run({ target, options }, context) {
    if (options.to === undefined)
      throw new CliError('usage', 'The file is missing.', { hint: 'Add --to FILE, such as --to session.jsonl.' });
    return serve(target, options, context, options.to);
  },
});
