import type { Clock } from '../../peer/clock.ts';
import { RenewedMap } from '../../runtime/renewed-map.ts';
import { later } from './background.ts';
import type { TaskShelf } from './task-shelf.ts';

/** Milliseconds between two polls of a waiting follower: messages between nodes may be lost. */
const LOOK_MS = 5000;

/** Follows one task. No change after its creation is missed, even while the follower does not wait. */
export class TaskWatch {
  readonly #clock: Clock;
  readonly #release: (watch: TaskWatch) => void;
  #heard = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock, release: (watch: TaskWatch) => void) {
    this.#clock = clock;
    this.#release = release;
  }

  /** Resolves when the task has changed, or after a while: check it then. Rejects when the signal aborts. */
  async changed(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (!this.#heard) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#clock.clearTimeout(timer);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const timer = later(this.#clock, wake, LOOK_MS);
        this.#wake = wake;
        signal?.addEventListener('abort', wake, { once: true });
      });
      this.#wake = undefined;
      signal?.throwIfAborted();
    }
    this.#heard = false;
  }

  hear(): void {
    this.#heard = true;
    this.#wake?.();
  }

  close(): void {
    this.#wake?.();
    this.#release(this);
  }
}

/** Wakes the followers of a task, whichever node changes it. */
export class TaskNews {
  readonly #shelf: TaskShelf;
  readonly #clock: Clock;
  readonly #onchange: (taskId: string) => void;
  readonly #watches = new RenewedMap<string, Set<TaskWatch>>();
  #listening: Promise<() => Promise<void>> | undefined;

  constructor(shelf: TaskShelf, clock: Clock, onchange: (taskId: string) => void) {
    this.#shelf = shelf;
    this.#clock = clock;
    this.#onchange = onchange;
  }

  /** Starts receiving changes of other nodes. */
  async start(): Promise<void> {
    this.#listening ??= this.#shelf.listen((taskId) => this.#heard(taskId));
    try {
      await this.#listening;
    } catch (error) {
      this.#listening = undefined;
      throw error;
    }
  }

  async stop(): Promise<void> {
    const listening = this.#listening;
    this.#listening = undefined;
    await (
      await listening
    )?.();
  }

  watch(taskId: string): TaskWatch {
    const watches = this.#watches.get(taskId) ?? new Set();
    const watch = new TaskWatch(this.#clock, (closed) => {
      watches.delete(closed);
      if (watches.size === 0 && this.#watches.get(taskId) === watches) this.#watches.delete(taskId);
    });
    this.#watches.set(taskId, watches.add(watch));
    return watch;
  }

  wake(taskId: string): void {
    for (const watch of this.#watches.get(taskId) ?? []) watch.hear();
  }

  #heard(taskId: string): void {
    this.wake(taskId);
    this.#onchange(taskId);
  }
}
