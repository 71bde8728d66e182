import { isJsonObject, type JSONRPCRequest, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import { isLoggingLevel, LOG_LEVELS } from '../../protocol/logging.ts';
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_PROTOCOL_VERSION,
} from '../../protocol/meta.ts';
import type { Facts, Inbound, Retry } from '../../protocol/outcome.ts';
import { progressTokenIn } from '../meta-keys.ts';
import { methods } from './methods.ts';

const NONE: JsonObject = Object.freeze({});

export function readRequest(request: JSONRPCRequest): Inbound {
  const { method, params } = request;
  const meta = params?.['_meta'];
  if (params === undefined || !isJsonObject(meta)) throw wrong('_meta', 'an object');
  return {
    id: request.id,
    method,
    params,
    facts: readFacts(meta),
    retry: readRetry(method, params),
    progressToken: progressTokenIn(meta),
  };
}

function readFacts(meta: JsonObject): Facts {
  if (typeof meta[META_PROTOCOL_VERSION] !== 'string') throw wrong(`_meta["${META_PROTOCOL_VERSION}"]`, 'a string');
  const capabilities = meta[META_CLIENT_CAPABILITIES];
  if (!isJsonObject(capabilities)) throw wrong(`_meta["${META_CLIENT_CAPABILITIES}"]`, 'an object');
  const client = meta[META_CLIENT_INFO];
  const logLevel = meta[META_LOG_LEVEL];
  if (logLevel !== undefined && !isLoggingLevel(logLevel))
    throw wrong(`_meta["${META_LOG_LEVEL}"]`, `one of ${LOG_LEVELS.join(', ')}`);
  return { client: isImplementation(client) ? client : undefined, capabilities, logLevel };
}

/** A client that does not say who it is, or says it badly, is served all the same. */
function isImplementation(value: unknown): value is JsonObject & Implementation {
  return isJsonObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}

function readRetry(method: string, { requestState, inputResponses }: JsonObject): Retry | undefined {
  if (requestState === undefined && inputResponses === undefined) return undefined;
  if (methods.get(method)?.mayAsk !== true) return undefined;
  if (requestState !== undefined && typeof requestState !== 'string') throw wrong('requestState', 'a string');
  if (inputResponses !== undefined && !isJsonObject(inputResponses)) throw wrong('inputResponses', 'an object');
  const answers = inputResponses ?? NONE;
  return requestState === undefined ? { answers } : { state: requestState, answers };
}

function wrong(what: string, type: string): ProtocolError {
  return new ProtocolError('invalid-params', `The params need ${what} to be ${type}.`);
}
