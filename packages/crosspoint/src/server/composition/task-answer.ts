import type { JsonObject } from '../../jsonrpc/message.ts';

declare const ANSWERED: unique symbol;

/** The answer to a call that became a task elsewhere, as `asTask` makes it. */
export interface TaskAnswer extends JsonObject {
  readonly [ANSWERED]: true;
}

const tasks = new WeakMap<object, JsonObject>();

/** Remembers the task of an answer, for those who have to recognise it. */
export function answerOf(words: JsonObject, task: JsonObject): TaskAnswer {
  tasks.set(words, task);
  return words as TaskAnswer;
}

/** The task that an answer stands for; `undefined` for every other value. */
export function taskIn(answer: unknown): JsonObject | undefined {
  return typeof answer === 'object' && answer !== null ? tasks.get(answer) : undefined;
}
