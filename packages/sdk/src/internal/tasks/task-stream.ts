import { isTerminal } from 'crosspoint';
import type { ResponseMessage } from '../../shared/responseMessage.ts';
import type { CreateTaskResult, Result, Task } from '../../types.ts';
import { pause } from '../shared/pause.ts';
import { ErrorCode, McpError, toMcpError } from '../types/errors.ts';

/** A request that asks to become a task, and the ways to follow the task. */
export interface TaskSteps<T> {
  /** Sends the request. An answer without a task is the result. */
  start(): Promise<Pick<CreateTaskResult, 'task'> | { readonly result: T }>;
  status(taskId: string): Promise<Task>;
  result(taskId: string): Promise<T>;
  /** Milliseconds between two looks at a task that names no interval; 1000 when absent. */
  readonly pollMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Yields the task, its statuses, and last its result or an error. A task that needs input is asked for its result, with which its questions come. */
export async function* streamTask<T extends Result>(
  steps: TaskSteps<T>,
): AsyncGenerator<ResponseMessage<T>, void, void> {
  try {
    const started = await steps.start();
    if (!('task' in started)) {
      yield { type: 'result', result: started.result };
      return;
    }
    const { taskId } = started.task;
    yield { type: 'taskCreated', task: started.task };
    for (;;) {
      const task = await steps.status(taskId);
      yield { type: 'taskStatus', task };
      if (task.status === 'failed') throw new McpError(ErrorCode.InternalError, `Task ${taskId} failed`);
      if (task.status === 'cancelled') throw new McpError(ErrorCode.InternalError, `Task ${taskId} was cancelled`);
      if (isTerminal(task.status) || task.status === 'input_required') {
        yield { type: 'result', result: await steps.result(taskId) };
        return;
      }
      await pause(task.pollInterval ?? steps.pollMs ?? 1000, steps.signal);
      steps.signal?.throwIfAborted();
    }
  } catch (error) {
    yield { type: 'error', error: asMcpError(error) };
  }
}

/** Yields the result of a plain request, or its error. */
export async function* streamResult<T extends Result>(
  run: () => Promise<T>,
): AsyncGenerator<ResponseMessage<T>, void, void> {
  try {
    yield { type: 'result', result: await run() };
  } catch (error) {
    yield { type: 'error', error: asMcpError(error) };
  }
}

/** Whether an answer is a task in place of the result. */
export function isCreated(answer: Result): answer is Result & { task: Task } {
  const { task } = answer;
  return typeof task === 'object' && task !== null && 'taskId' in task;
}

export function asMcpError(error: unknown): McpError {
  const known = toMcpError(error);
  return known instanceof McpError ? known : new McpError(ErrorCode.InternalError, String(error));
}
