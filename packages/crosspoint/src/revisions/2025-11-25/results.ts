import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { withoutEnvelope } from '../meta-keys.ts';
import { inField, inItems, inSequence, without, type Reducer } from '../reducer.ts';
import { writeDeclared } from './capabilities.ts';
import { withObjectSchemas, withObjectStructure } from './structured.ts';
import { withoutPayload, writeTask } from './tasks.ts';

const dropHintMembers = without('resultType', 'ttlMs', 'cacheScope');

/** Checks members by name, which takes a tenth of the time of checking a list of names (docs/performance.md). */
function dropHints(result: JsonObject): JsonObject {
  return result['resultType'] === undefined && result['ttlMs'] === undefined && result['cacheScope'] === undefined
    ? result
    : dropHintMembers(result);
}

/** Drops the members that only the per-request family has. */
const usual = (result: JsonObject): JsonObject => withoutEnvelope(dropHints(result));

/** One function for each method: a result passes one table in place of two. */
const writers: ReadonlyMap<string, Reducer> = new Map([
  ['initialize', inSequence(usual, inField('capabilities', writeDeclared))],
  ['tools/list', inSequence(usual, inItems('tools', withObjectSchemas))],
  ['tools/call', (result: JsonObject) => withObjectStructure(withContent(usual(result)))],
  ['tasks/result', inSequence(usual, withObjectStructure)],
  // Tasks have a `ttlMs` of their own, which must be renamed before the cache hint of that name is dropped.
  ['tasks/get', inSequence(writeTask, withoutPayload, usual)],
  ['tasks/cancel', inSequence(writeTask, usual)],
  ['tasks/list', inSequence(inItems('tasks', writeTask), usual)],
]);

export function writeResult(method: string, outcome: Outcome): JsonObject {
  if (outcome.kind === 'task') {
    const { _meta, ...task } = outcome.task;
    return withoutEnvelope({ task: writeTask(task), ...(isJsonObject(_meta) && { _meta }) });
  }
  return writeResultWithoutTasks(method, outcome);
}

/** For the revisions without tasks. */
export function writeResultWithoutTasks(method: string, outcome: Outcome): JsonObject {
  if (outcome.kind !== 'complete' || outcome.result['resultType'] === 'input_required') {
    throw new ProtocolError(
      'internal',
      `The answer to ${method} cannot be expressed in the protocol revision of this connection.`,
    );
  }
  return (writers.get(method) ?? usual)(outcome.result);
}

/** Adds the required `content`. A program that speaks the protocol by hand may answer a call with a task instead. */
function withContent(result: JsonObject): JsonObject {
  return Array.isArray(result['content']) || isJsonObject(result['task']) ? result : { ...result, content: [] };
}
