import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ClientCapabilities, ServerCapabilities } from '../../protocol/capabilities.ts';
import { experimentalObjects } from '../experimental.ts';
import { inField, inSequence, without, type Reducer } from '../reducer.ts';

export const reduceServerCapabilities: Reducer = inSequence(without('tasks'), experimentalObjects);
const reduceClientCapabilities = inSequence(
  without('tasks'),
  inField('roots', without('listChanged')),
  experimentalObjects,
);

export function writeClientCapabilities(capabilities: ClientCapabilities): JsonObject {
  return reduceClientCapabilities(capabilities as JsonObject);
}

export function writeServerCapabilities(capabilities: ServerCapabilities): JsonObject {
  return reduceServerCapabilities(capabilities as JsonObject);
}
