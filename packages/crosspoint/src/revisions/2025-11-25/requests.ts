import { isJsonObject, type JSONRPCRequest, type JsonObject } from '../../jsonrpc/message.ts';
import type { Inbound, Outbound } from '../../protocol/outcome.ts';
import { progressTokenIn, withoutEnvelope } from '../meta-keys.ts';
import { inField, joinReducers, withMember, without } from '../reducer.ts';
import { reduceCapabilities } from './capabilities.ts';

const NO_PARAMS: JsonObject = Object.freeze({});
const dropRetryMembers = without('requestState', 'inputResponses');

/** Checks members by name, which takes a tenth of the time of checking a list of names (docs/performance.md). */
function dropRetry(params: JsonObject): JsonObject {
  return params['requestState'] === undefined && params['inputResponses'] === undefined
    ? params
    : dropRetryMembers(params);
}

const reduce = joinReducers({
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
  const params = withoutEnvelope(reduce(call.method, call.params));
  if (progressToken === undefined) return params;
  const own = params['_meta'];
  const _meta = isJsonObject(own) ? withMember('progressToken', progressToken, own) : { progressToken };
  // As in `withMember`, in a place of its own: a shared function sees every key and is slow for each of them.
  const written: JsonObject = '_meta' in params ? { ...params } : { _meta, ...params };
  written['_meta'] = _meta;
  return written;
}
