import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError, TransportError } from '../../protocol/errors.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import { META_SERVER_INFO } from '../../protocol/meta.ts';
import { isAskMethod, type Ask, type Outcome } from '../../protocol/outcome.ts';
import { inField, inItems, joinReducers, withMember, without } from '../reducer.ts';
import { reduceServerCapabilities } from './capabilities.ts';
import { methods } from './methods.ts';

type InputRequired = Extract<Outcome, { kind: 'input-required' }>;

/** Reads a result. Of the types that extensions bring, `task` has a place in the model; the others stay in their result. */
export function readResult(method: string, wire: JsonObject, extensionResults?: ReadonlySet<string>): Outcome {
  const type = wire['resultType'];
  if (type === undefined || type === 'complete') return { kind: 'complete', result: wire };
  if (type === 'input_required') return readInputRequired(method, wire);
  if (typeof type !== 'string' || extensionResults?.has(type) !== true) {
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

const stamps = new WeakMap<Implementation, JsonObject>();

const cacheable = [...methods].filter(([, info]) => info.cacheable === true).map(([method]) => method);

const reduce = joinReducers(
  {
    'server/discover': inField('capabilities', reduceServerCapabilities),
    'tools/list': inItems('tools', without('execution')),
    'tools/call': (result) =>
      Array.isArray(result['content']) || result['resultType'] === 'task' ? result : { ...result, content: [] },
  },
  Object.fromEntries(cacheable.map((method) => [method, withHints])),
);

/** Adds the cache hints that this revision requires: 0 ms and private, unless the result has its own. */
function withHints(result: JsonObject): JsonObject {
  const ttlMs = Number.isInteger(result['ttlMs']) && (result['ttlMs'] as number) >= 0 ? result['ttlMs'] : 0;
  const cacheScope = result['cacheScope'] === 'public' ? 'public' : 'private';
  // Before and after the spread, as below.
  const written: JsonObject = { ttlMs, cacheScope, ...result };
  written['ttlMs'] = ttlMs;
  written['cacheScope'] = cacheScope;
  return written;
}

export function writeResult(method: string, outcome: Outcome, server: Implementation): JsonObject {
  if (outcome.kind === 'complete') return writeComplete(method, outcome.result, server);
  if (outcome.kind === 'input-required') return writeInputRequired(method, outcome, server);
  return { ...outcome.task, resultType: 'task', _meta: stamped(outcome.task['_meta'], server) };
}

function writeComplete(method: string, result: JsonObject, server: Implementation): JsonObject {
  const own = result['resultType'];
  if (own === 'input_required')
    throw new ProtocolError(
      'internal',
      `The answer to ${method} has the resultType input_required: return inputRequired(…) to ask.`,
    );
  const resultType = typeof own === 'string' ? own : 'complete';
  const _meta = stamped(result['_meta'], server, method);
  const reduced = reduce(method, result);
  // The content is first, because a reader of the message or of a printed result looks for it.
  const { content, structuredContent } = reduced;
  if (hasContentAlone(reduced)) {
    // The form of most tool results. Written out, it takes half the time of a spread.
    return structuredContent === undefined
      ? { content, resultType, _meta }
      : { content, structuredContent, resultType, _meta };
  }
  // Before the spread, so that they need not be added after it (see `withMember`), and again, so that they win over the result's own.
  const written: JsonObject =
    content === undefined ? { resultType, _meta, ...reduced } : { content, resultType, _meta, ...reduced };
  written['resultType'] = resultType;
  written['_meta'] = _meta;
  return written;
}

function hasContentAlone(result: JsonObject): boolean {
  if (result['content'] === undefined) return false;
  for (const key in result) if (key !== 'content' && key !== 'structuredContent') return false;
  return true;
}

function writeInputRequired(method: string, outcome: InputRequired, server: Implementation): JsonObject {
  if (methods.get(method)?.mayAsk !== true) throw new ProtocolError('internal', `${method} must not ask for input.`);
  const written: JsonObject = { resultType: 'input_required', _meta: stamped(undefined, server) };
  if (outcome.state === undefined || Object.keys(outcome.asks).length > 0) written['inputRequests'] = outcome.asks;
  if (outcome.state !== undefined) written['requestState'] = outcome.state;
  return written;
}

/**
 * The result's own `_meta` with the server's name in it. The name alone is the same for all results and made once. Only `server/discover`, which says who
 * the server is, may name another.
 */
function stamped(own: unknown, server: Implementation, method?: string): JsonObject {
  if (isJsonObject(own))
    return method === 'server/discover' && isJsonObject(own[META_SERVER_INFO])
      ? own
      : withMember(META_SERVER_INFO, server, own);
  let stamp = stamps.get(server);
  if (stamp === undefined) stamps.set(server, (stamp = Object.freeze({ [META_SERVER_INFO]: server })));
  return stamp;
}
