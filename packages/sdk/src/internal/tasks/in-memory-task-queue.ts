import type { QueuedMessage, TaskMessageQueue } from './task-store.ts';

/** Messages of tasks in this process. Ids of tasks are unique, so the session makes no difference. */
export class InMemoryTaskMessageQueue implements TaskMessageQueue {
  readonly #queues = new Map<string, QueuedMessage[]>();

  async enqueue(taskId: string, message: QueuedMessage, _sessionId?: string, maxSize?: number): Promise<void> {
    const queue = this.#queues.get(taskId) ?? [];
    if (maxSize !== undefined && queue.length >= maxSize)
      throw new Error(`Task message queue overflow: queue size (${queue.length}) exceeds maximum (${maxSize})`);
    queue.push(message);
    this.#queues.set(taskId, queue);
  }

  async dequeue(taskId: string, _sessionId?: string): Promise<QueuedMessage | undefined> {
    const queue = this.#queues.get(taskId);
    const first = queue?.shift();
    if (queue?.length === 0) this.#queues.delete(taskId);
    return first;
  }

  async dequeueAll(taskId: string, _sessionId?: string): Promise<QueuedMessage[]> {
    const queue = this.#queues.get(taskId) ?? [];
    this.#queues.delete(taskId);
    return queue;
  }
}
