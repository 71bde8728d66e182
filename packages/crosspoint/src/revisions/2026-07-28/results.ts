import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import { META_SERVER_INFO } from '../../protocol/meta.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { inField, inItems, joinReducers, withMember, without } from '../reducer.ts';
import { reduceServerCapabilities } from './capabilities.ts';
import { methods } from './methods.ts';

type InputRequired = Extract<Outcome, { kind: 'input-required' }>;

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
