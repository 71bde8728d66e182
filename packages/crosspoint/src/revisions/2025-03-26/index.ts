import { inBlocks, withParams } from '../2025-11-25/asks.ts';
import { withoutStructure } from '../2025-11-25/structured.ts';
import { revision20250618 } from '../2025-06-18/index.ts';
import type { Ask } from '../../protocol/outcome.ts';
import { older } from '../older.ts';
import { inField, inItems, without } from '../reducer.ts';
import type { Revision } from '../revision.ts';
import { writeContent, writeListed } from './content.ts';

const plainMessages = inItems('messages', inBlocks(writeContent));

function writeAsk(ask: Ask): Ask | undefined {
  if (ask.method === 'elicitation/create') return undefined;
  return withParams(ask, plainMessages(ask.params));
}

export const revision20250326: Revision = {
  ...older(revision20250618, '2025-03-26', {
    methods: ['elicitation/create'],
    listed: writeListed,
    tool: without('outputSchema'),
    content: writeContent,
    implementation: without('title'),
    results: {
      'prompts/list': inItems('prompts', inItems('arguments', without('title'))),
      'resources/read': inItems('contents', without('_meta')),
      'tools/call': withoutStructure,
      'roots/list': inItems('roots', without('_meta')),
      'sampling/createMessage': inField('content', writeContent),
    },
    ask: writeAsk,
  }),
  batches: true,
  structuredContent: 'none',
};
