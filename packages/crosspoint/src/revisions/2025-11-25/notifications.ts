import type { JsonObject } from '../../jsonrpc/message.ts';
import { withoutEnvelope } from '../meta-keys.ts';
import { inSequence, joinReducers } from '../reducer.ts';
import { methods } from './methods.ts';
import { withoutPayload, writeTask } from './tasks.ts';

const reduce = joinReducers({
  'notifications/tasks/status': inSequence(writeTask, withoutPayload),
});

export function writeNotification(method: string, params: JsonObject): JsonObject | undefined {
  if (methods.get(method)?.kind !== 'notification') return undefined;
  return withoutEnvelope(reduce(method, params));
}
