import type { JsonObject } from '../../jsonrpc/message.ts';
import { withoutEnvelope } from '../meta-keys.ts';
import { inSequence, joinReducers, reduceBy, without } from '../reducer.ts';
import { methods } from './methods.ts';
import { writeTask } from './tasks.ts';

// The rest of a finished task is fetched, not pushed, in this revision.
const reducers = joinReducers({
  'notifications/tasks/status': inSequence(writeTask, without('result', 'error', 'inputRequests')),
});

export function writeNotification(method: string, params: JsonObject): JsonObject | undefined {
  if (methods.get(method)?.kind !== 'notification') return undefined;
  return withoutEnvelope(reduceBy(reducers, method, params));
}
