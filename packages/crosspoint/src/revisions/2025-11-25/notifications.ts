import type { JsonObject } from '../../jsonrpc/message.ts';
import { withoutEnvelope } from '../meta-keys.ts';
import { inSequence, joinReducers } from '../reducer.ts';
import { methods } from './methods.ts';
import { withoutPayload, writeTask } from './tasks.ts';

const reducers = joinReducers({
  'notifications/tasks/status': inSequence(writeTask, withoutPayload),
});

export function writeNotification(method: string, params: JsonObject): JsonObject | undefined {
  if (methods.get(method)?.kind !== 'notification') return undefined;
  return withoutEnvelope(reducers.reduce(method, params));
}
