import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Outbound, Outcome } from '../../protocol/outcome.ts';
import { withProgressToken, withoutEnvelope } from '../meta-keys.ts';
import { inField, inItems, joinReducers, without } from '../reducer.ts';
import type { ClientWords } from '../revision.ts';
import { reduceCapabilities } from './capabilities.ts';

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

function writeRequest(call: Outbound): JsonObject {
  const { progressToken } = call;
  const params = withoutEnvelope(reduce(call.method, call.params));
  return progressToken === undefined ? params : withProgressToken(params, progressToken);
}

/** Reads a task into the neutral names. */
function readTask(task: JsonObject): JsonObject {
  const { ttl, pollInterval, ...rest } = task;
  const read: JsonObject = { ...rest, ttlMs: ttl ?? null };
  if (pollInterval !== undefined) read['pollIntervalMs'] = pollInterval;
  return read;
}

const readAs = joinReducers({
  'tasks/get': readTask,
  'tasks/cancel': readTask,
  'tasks/list': inItems('tasks', readTask),
});

/** The requests that may be answered with a task, and the member that only their finished result has. */
const taskable: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'content'],
  ['sampling/createMessage', 'role'],
  ['elicitation/create', 'action'],
]);

function readResult(method: string, wire: JsonObject): Outcome {
  const { task } = wire;
  if (isJsonObject(task)) {
    const finished = taskable.get(method);
    if (finished !== undefined && !Object.hasOwn(wire, finished))
      return { kind: 'task', task: withMetaOf(wire, readTask(task)) };
  }
  return { kind: 'complete', result: readAs(method, wire) };
}

/** Keeps the `_meta` that stands beside the task. */
function withMetaOf({ _meta }: JsonObject, task: JsonObject): JsonObject {
  return isJsonObject(_meta) ? { ...task, _meta } : task;
}

/** For the revisions without tasks. */
export function readResultWithoutTasks(_method: string, wire: JsonObject): Outcome {
  return { kind: 'complete', result: wire };
}

export const clientWords20251125: ClientWords = {
  writeRequest,
  readResult,
  writeClientCapabilities: (capabilities) => reduceCapabilities(capabilities as JsonObject),
  suggestsTwoEndpoints: (status) => status === 400 || status === 404 || status === 405,
};
