import { RELATED_TASK_META_KEY } from '../types/base.ts';
import type { RequestId } from '../../types.ts';
import type { NotificationOptions, RequestOptions } from './protocol-options.ts';

type Params = { [key: string]: unknown; _meta?: { [key: string]: unknown } | undefined };

/** The params with the task they belong to. */
export function withRelatedTask(params: Params | undefined, task: { taskId: string }): Params;
export function withRelatedTask(
  params: Params | undefined,
  task: NotificationOptions['relatedTask'],
): Params | undefined;
export function withRelatedTask(
  params: Params | undefined,
  task: NotificationOptions['relatedTask'],
): Params | undefined {
  return task === undefined ? params : { ...params, _meta: { ...params?._meta, [RELATED_TASK_META_KEY]: task } };
}

/** Adds everything that request options imply to params. */
export function withOptions(params: Params | undefined, options: RequestOptions, id: RequestId): Params | undefined {
  let all = withRelatedTask(params, options.relatedTask);
  if (options.task !== undefined) all = { ...all, task: options.task };
  return options.onprogress === undefined ? all : { ...all, _meta: { ...all?._meta, progressToken: id } };
}

/** The id of the task that a message belongs to, by its `_meta`. */
export function relatedTaskOf(meta: { [key: string]: unknown } | undefined): string | undefined {
  const related = meta?.[RELATED_TASK_META_KEY] as { taskId?: unknown } | null | undefined;
  return typeof related?.taskId === 'string' ? related.taskId : undefined;
}
