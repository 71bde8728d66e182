import { isJsonObject, type JsonObject, type RequestId } from '../../jsonrpc/message.ts';
import type { ClientCapabilities } from '../../protocol/capabilities.ts';
import { TransportError } from '../../protocol/errors.ts';
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_PROTOCOL_VERSION,
} from '../../protocol/meta.ts';
import { isAskMethod, type Ask, type Facts, type Outbound, type Outcome, type Retry } from '../../protocol/outcome.ts';
import { experimentalObjects } from '../experimental.ts';
import { inField, inSequence, without } from '../reducer.ts';
import type { ClientWords } from '../revision.ts';
import { revision20260728 } from './index.ts';
import { methods } from './methods.ts';

type InputRequired = Extract<Outcome, { kind: 'input-required' }>;

/** Reads a result. Of the types that extensions bring, `task` has a place in the model; the others stay in their result. */
function readResult(method: string, wire: JsonObject, typesOf?: (method: string) => ReadonlySet<string>): Outcome {
  const type = wire['resultType'];
  if (type === undefined || type === 'complete') return { kind: 'complete', result: wire };
  if (type === 'input_required') return readInputRequired(method, wire);
  if (typeof type !== 'string' || typesOf?.(method).has(type) !== true) {
    throw invalid(method, `its resultType ${JSON.stringify(type)} is unknown`);
  }
  return type === 'task' ? { kind: 'task', task: wire } : { kind: 'complete', result: wire };
}

function readInputRequired(method: string, { inputRequests, requestState }: JsonObject): InputRequired {
  const info = methods.get(method);
  if (info !== undefined && info.mayAsk !== true) throw invalid(method, 'this method must not ask for input');
  if (requestState !== undefined && typeof requestState !== 'string')
    throw invalid(method, 'its requestState is no string');
  if (inputRequests === undefined && requestState === undefined)
    throw invalid(method, 'it asks for input without saying which');
  const asks = inputRequests === undefined ? {} : readAsks(method, inputRequests);
  return requestState === undefined
    ? { kind: 'input-required', asks }
    : { kind: 'input-required', asks, state: requestState };
}

function readAsks(method: string, wire: unknown): Readonly<Record<string, Ask>> {
  if (!isJsonObject(wire)) throw invalid(method, 'its inputRequests are no object');
  return Object.fromEntries(Object.entries(wire).map(([key, ask]) => [key, readAsk(method, key, ask)]));
}

function readAsk(method: string, key: string, wire: unknown): Ask {
  if (!isJsonObject(wire) || !isAskMethod(wire['method']))
    throw invalid(method, `its input request "${key}" names no known method`);
  // Only `roots/list` needs no params.
  const params = wire['params'] ?? (wire['method'] === 'roots/list' ? {} : undefined);
  if (!isJsonObject(params)) throw invalid(method, `its input request "${key}" has no params`);
  return { method: wire['method'], params };
}

function invalid(method: string, reason: string): TransportError {
  return new TransportError('invalid-result', `The result of ${method} is invalid: ${reason}.`, { method });
}

const reduceClientCapabilities = inSequence(
  without('tasks'),
  inField('roots', without('listChanged')),
  experimentalObjects,
);

function writeClientCapabilities(capabilities: ClientCapabilities): JsonObject {
  return reduceClientCapabilities(capabilities as JsonObject);
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
function createRequestWriter(version: string): (call: Outbound) => JsonObject {
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

export const clientWords20260728: ClientWords = {
  writeRequest: createRequestWriter(revision20260728.id),
  readResult,
  writeClientCapabilities,
  suggestsTwoEndpoints: () => false,
};
