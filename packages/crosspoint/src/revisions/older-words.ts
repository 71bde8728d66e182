import type { JsonObject } from '../jsonrpc/message.ts';
import type { Implementation } from '../protocol/implementation.ts';
import { inField, inSequence, joinReducers, type Reducer } from './reducer.ts';
import type { ClientWords, Revision } from './revision.ts';

/** The features of requests that a revision lacks, compared with the next newer one. */
export interface LacksInRequests {
  readonly capabilities: Reducer;
  readonly requests: Readonly<Record<string, Reducer>>;
}

/** The words of clients in the next newer revision, minus what this one lacks. */
export function olderWords(newer: ClientWords, revision: Revision, lacks: LacksInRequests): ClientWords {
  const { capabilities: reduceCapabilities } = lacks;
  const reduceInfo = (info: JsonObject): JsonObject => revision.writeImplementation(info as object as Implementation);
  const reduce = joinReducers(
    { initialize: inSequence(inField('clientInfo', reduceInfo), inField('capabilities', reduceCapabilities)) },
    lacks.requests,
  );
  return {
    ...newer,
    writeRequest: (call) => reduce(call.method, newer.writeRequest(call)),
    writeClientCapabilities: (capabilities) => reduceCapabilities(newer.writeClientCapabilities(capabilities)),
  };
}
