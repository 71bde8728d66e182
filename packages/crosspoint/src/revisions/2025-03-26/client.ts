import { clientWords20250618 } from '../2025-06-18/client.ts';
import { olderWords } from '../older-words.ts';
import { inField, inSequence, without } from '../reducer.ts';
import type { ClientWords } from '../revision.ts';
import { revision20250326 } from './index.ts';

export const clientWords20250326: ClientWords = olderWords(clientWords20250618, revision20250326, {
  capabilities: without('elicitation'),
  requests: { 'completion/complete': inSequence(without('context'), inField('ref', without('title'))) },
});
