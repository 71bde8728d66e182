import type { JSONRPCRequest, JsonObject } from '../../jsonrpc/message.ts';
import type { Inbound } from '../../protocol/outcome.ts';
import { progressTokenIn } from '../meta-keys.ts';

const NO_PARAMS: JsonObject = Object.freeze({});

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
