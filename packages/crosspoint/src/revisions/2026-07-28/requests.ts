import { isJsonObject, type JSONRPCRequest, type JsonObject, type RequestId } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import { isLoggingLevel, LOG_LEVELS } from '../../protocol/logging.ts';
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_PROTOCOL_VERSION,
} from '../../protocol/meta.ts';
import type { Facts, Inbound, Outbound, Retry } from '../../protocol/outcome.ts';
import { progressTokenIn } from '../meta-keys.ts';
import { without } from '../reducer.ts';
import { writeClientCapabilities } from './capabilities.ts';
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

// The older wish for a task: in this revision the server alone decides.
const dropTask = without('task');
const dropState = without('requestState');

/** The `_meta` that a client sends with every request: as it is, and with a place for the progress token, so that setting it adds no member. */
interface Envelope {
  readonly plain: JsonObject;
  readonly numbered: JsonObject;
}

/** Stamps requests with the version. The envelope is the same for all calls of a client, so it is made once for its facts. */
export function createRequestWriter(version: string): (call: Outbound) => JsonObject {
  const envelopes = new WeakMap<Facts, Envelope>();
  const envelopeOf = (facts: Facts): Envelope => {
    let envelope = envelopes.get(facts);
    if (envelope === undefined) envelopes.set(facts, (envelope = writeEnvelope(version, facts)));
    return envelope;
  };
  return (call) => {
    const { facts, retry } = call;
    const params = call.method === 'tools/call' ? dropTask(call.params) : call.params;
    const stamp = stampOf(envelopeOf(facts), call.progressToken);
    const own = params['_meta'];
    const _meta = isJsonObject(own) ? { ...own, ...stamp } : stamp;
    // First, so that it need not be added after the spread (see `withMember`), and again, so that it wins over the call's own.
    const written: JsonObject = '_meta' in params ? { ...params } : { _meta, ...params };
    written['_meta'] = _meta;
    return retry === undefined ? written : withRetry(written, retry);
  };
}

function stampOf({ plain, numbered }: Envelope, progressToken: RequestId | undefined): JsonObject {
  return progressToken === undefined ? plain : { ...numbered, progressToken };
}

function writeEnvelope(version: string, facts: Facts): Envelope {
  const plain: JsonObject = {
    [META_PROTOCOL_VERSION]: version,
    [META_CLIENT_CAPABILITIES]: writeClientCapabilities(facts.capabilities),
  };
  if (facts.client !== undefined) plain[META_CLIENT_INFO] = facts.client;
  if (facts.logLevel !== undefined) plain[META_LOG_LEVEL] = facts.logLevel;
  return { plain: Object.freeze(plain), numbered: { progressToken: 0, ...plain } };
}

/** A retry brings the answers and the state of the last round, and nothing left over from an earlier one. */
function withRetry(written: JsonObject, { answers, state }: Retry): JsonObject {
  const fresh = dropState(written);
  return state === undefined
    ? { ...fresh, inputResponses: answers }
    : { ...fresh, inputResponses: answers, requestState: state };
}
