import { clientWords20251125, readResultWithoutTasks } from '../2025-11-25/client.ts';
import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { olderWords } from '../older-words.ts';
import { inField, inSequence, without } from '../reducer.ts';
import type { ClientWords } from '../revision.ts';
import { revision20250618 } from './index.ts';

/** The next newer words, with the rules that are replaced rather than reduced. */
const newer: ClientWords = {
  ...clientWords20251125,
  readResult: readResultWithoutTasks,
  suggestsTwoEndpoints: (status) => status >= 400 && status < 500,
};

/** `{}` meant forms, so a client that has none but does open addresses declares nothing here. */
function formOnly(capabilities: JsonObject): JsonObject {
  const { elicitation, ...rest } = capabilities;
  if (!isJsonObject(elicitation)) return capabilities;
  return 'url' in elicitation && !('form' in elicitation) ? rest : { ...rest, elicitation: {} };
}

export const clientWords20250618: ClientWords = olderWords(newer, revision20250618, {
  capabilities: inSequence(
    without('tasks'),
    inField('sampling', () => ({})),
    formOnly,
  ),
  requests: { 'tools/call': without('task') },
});
