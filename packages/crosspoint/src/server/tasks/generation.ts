import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Progress } from '../../peer/progress.ts';
import { META_TASK_PROGRESS } from '../../protocol/meta.ts';
import { isTerminal, type DetailedTask, type Task } from '../../protocol/tasks.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import type { Revision } from '../../revisions/revision.ts';
import { completed } from '../calls/handler.ts';
import { outstanding, toTask, type TaskRecord } from './task-record.ts';

/** A task as the older generation sees it: a result with `isError` is a failed task. */
export function coreView(record: TaskRecord): Task {
  const task = toTask(record);
  if (record.status !== 'completed' || record.result?.['isError'] !== true) return task;
  return { ...task, status: 'failed', statusMessage: task.statusMessage ?? contentText(record.result) };
}

/** A task as the newer generation sees it, with its questions, result or error; results are written as those of the call. */
export function extensionView(record: TaskRecord, revision: Revision, info: Implementation): DetailedTask {
  const { status, result, error, progress } = record;
  const task = progress === undefined ? toTask(record) : withProgress(toTask(record), progress);
  if (status === 'input_required')
    return {
      ...task,
      status,
      inputRequests: Object.fromEntries(outstanding(record).map(([key, { ask }]) => [key, ask])),
    };
  if (status === 'completed')
    return { ...task, status, result: revision.writeResult(record.call.method, completed(result ?? {}), info) };
  if (status === 'failed') return { ...task, status, error: error ?? { code: -32603, message: 'Internal error' } };
  return { ...task, status };
}

function withProgress(task: Task, progress: Progress): Task & { _meta: JsonObject } {
  return { ...task, _meta: { [META_TASK_PROGRESS]: progress } };
}

/** The result of the call, or its error. Only for a task that has ended. */
export function outcomeOf(record: TaskRecord, revision: Revision, info: Implementation): JsonObject | Error {
  const { status, result, error, call } = record;
  if (!isTerminal(status)) throw new TypeError('The task has not ended, so it has no result yet.');
  if (error) return revision.readError(error);
  if (result) return revision.writeResult(call.method, completed(result), info);
  return revision.readError({ code: -32600, message: 'The task was cancelled, so it has no result.' });
}

function contentText({ content }: JsonObject): string {
  const texts = (Array.isArray(content) ? content : []).flatMap((block: unknown) =>
    isJsonObject(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  );
  return texts.join('\n').slice(0, 500) || 'The tool reported an error.';
}
