import { isJsonObject, type JSONRPCRequest, type JsonObject } from '../../jsonrpc/message.ts';
import type { Inbound, Outbound } from '../../protocol/outcome.ts';
import { ENVELOPE_KEYS, progressTokenIn } from '../meta-keys.ts';
import { inField, joinReducers, reduceBy, without } from '../reducer.ts';
import { reduceCapabilities } from './capabilities.ts';

const NO_PARAMS: JsonObject = Object.freeze({});
const dropEnvelope = without(...ENVELOPE_KEYS);
const dropRetry = without('requestState', 'inputResponses');

const reducers = joinReducers({
  initialize: inField('capabilities', reduceCapabilities),
  'tools/call': dropRetry,
  'prompts/get': dropRetry,
  'resources/read': dropRetry,
});

export function readRequest(request: JSONRPCRequest): Inbound {
  const params = request.params ?? NO_PARAMS;
  return {
    id: request.id,
    method: request.method,
    params,
    facts: undefined,
    retry: undefined,
    progressToken: progressTokenIn(params['_meta']),
  };
}

export function writeRequest(call: Outbound): JsonObject {
  const { progressToken } = call;
  const params = reduceBy(reducers, call.method, call.params);
  const own = params['_meta'];
  const kept = isJsonObject(own) ? dropEnvelope(own) : undefined;
  if (progressToken !== undefined) return { ...params, _meta: { ...kept, progressToken } };
  return kept === own ? params : { ...params, _meta: kept };
}
