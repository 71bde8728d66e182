import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { experimentalObjects } from '../experimental.ts';
import { inSequence, without, type Reducer } from '../reducer.ts';

export const reduceCapabilities: Reducer = inSequence(without('extensions'), experimentalObjects);

/** The capabilities in the answer to `initialize`: only extensions that are negotiated in a handshake are declared. */
export const writeDeclared: Reducer = (declared) => {
  const { handshakeExtensions, ...rest } = reduceCapabilities(declared);
  return handshakeExtensions === undefined ? rest : { ...rest, extensions: handshakeExtensions };
};

export function writeServerCapabilities(capabilities: ServerCapabilities): JsonObject {
  return reduceCapabilities(capabilities as JsonObject);
}
