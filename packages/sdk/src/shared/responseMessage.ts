/** `shared/responseMessage.js` of v1: the steps of a call that became a task. */
import type { McpError, Result, Task } from '../types.ts';

export interface BaseResponseMessage {
  type: string;
}
export interface TaskStatusMessage extends BaseResponseMessage {
  type: 'taskStatus';
  task: Task;
}
export interface TaskCreatedMessage extends BaseResponseMessage {
  type: 'taskCreated';
  task: Task;
}
export interface ResultMessage<T extends Result> extends BaseResponseMessage {
  type: 'result';
  result: T;
}
export interface ErrorMessage extends BaseResponseMessage {
  type: 'error';
  error: McpError;
}
/** Statuses of a task, then a result or an error. */
export type ResponseMessage<T extends Result = Result> =
  | TaskStatusMessage
  | TaskCreatedMessage
  | ResultMessage<T>
  | ErrorMessage;

export type AsyncGeneratorValue<T> = T extends AsyncGenerator<infer Value> ? Value : never;

/** Reads a generator to its end. */
export async function toArrayAsync<T extends AsyncGenerator>(it: T): Promise<AsyncGeneratorValue<T>[]> {
  const all: unknown[] = [];
  for await (const value of it) all.push(value);
  return all as AsyncGeneratorValue<T>[];
}

/** The result of a stream; rejects with its error. */
export async function takeResult<T>(
  it: AsyncGenerator<{ type: string; result?: T; error?: unknown; task?: unknown }>,
): Promise<T> {
  for await (const message of it) {
    if (message.type === 'result') return message.result as T;
    if (message.type === 'error') throw message.error instanceof Error ? message.error : new Error('The call failed.');
  }
  throw new Error('The stream ended without a result.');
}
