import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { experimentalObjects } from '../experimental.ts';
import { inSequence, without, type Reducer } from '../reducer.ts';

export const reduceServerCapabilities: Reducer = inSequence(without('tasks'), experimentalObjects);

export function writeServerCapabilities(capabilities: ServerCapabilities): JsonObject {
  return reduceServerCapabilities(capabilities as JsonObject);
}
