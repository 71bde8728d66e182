import type { JsonObject } from '../../jsonrpc/message.ts';
import { ENVELOPE_KEYS } from '../meta-keys.ts';
import { inField, inSequence, joinReducers, reduceBy, without } from '../reducer.ts';
import { methods } from './methods.ts';
import { writeTask } from './tasks.ts';

const dropEnvelope = inField('_meta', without(...ENVELOPE_KEYS));
// The rest of a finished task is fetched, not pushed, in this revision.
const reducers = joinReducers({
  'notifications/tasks/status': inSequence(writeTask, without('result', 'error', 'inputRequests')),
});

export function writeNotification(method: string, params: JsonObject): JsonObject | undefined {
  if (methods.get(method)?.kind !== 'notification') return undefined;
  return dropEnvelope(reduceBy(reducers, method, params));
}
