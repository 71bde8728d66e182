import { isTerminal, type CallToolResult, type Task } from 'crosspoint/client';
import type { JsonObject } from '@crosspoint/host';
import type { OperationEvent } from '../operations.ts';

/** A task that this connection waits for. */
export interface HeldTask {
  /** As it was seen last. */
  task: Task;
  /** The id of its call in the host. */
  readonly call: string;
  readonly tool?: string;
  readonly arguments?: JsonObject;
  readonly result: Promise<CallToolResult>;
  readonly listeners: Set<(event: OperationEvent) => void>;
  isOver: boolean;
}

const MOST = 200;

/** The tasks of one connection: each is waited for, so that its questions reach the inbox and its result is there when it is wanted. */
export class HeldTasks {
  readonly #tasks = new Map<string, HeldTask>();

  get isBusy(): boolean {
    return [...this.#tasks.values()].some(({ isOver }) => !isOver);
  }

  find(id: string): HeldTask | undefined {
    return this.#tasks.get(id);
  }

  list(): readonly HeldTask[] {
    return [...this.#tasks.values()];
  }

  add(given: Pick<HeldTask, 'task' | 'call' | 'tool' | 'arguments' | 'result'>): HeldTask {
    const held: HeldTask = { ...given, listeners: new Set(), isOver: false };
    this.#tasks.set(given.task.taskId, held);
    const over = (): void => {
      held.isOver = true;
      this.#dropOldest();
    };
    held.result.then(over, over);
    return held;
  }

  /** A status was read. */
  seen(task: Task): void {
    const held = this.#tasks.get(task.taskId);
    if (held === undefined) return;
    const { status, statusMessage } = held.task;
    held.task = task;
    if (task.status === status && task.statusMessage === statusMessage) return;
    const words = task.statusMessage === undefined ? {} : { message: task.statusMessage };
    if (!isTerminal(task.status)) this.tell(task.taskId, { type: 'status', status: task.status, ...words });
  }

  /** Passes an event to everyone who waits for the task. */
  tell(id: string, event: OperationEvent): void {
    for (const listener of this.#tasks.get(id)?.listeners ?? []) listener(event);
  }

  #dropOldest(): void {
    const over = [...this.#tasks.values()].filter(({ isOver }) => isOver);
    for (const { task } of over.slice(0, Math.max(0, over.length - MOST))) this.#tasks.delete(task.taskId);
  }
}
