import type { Clock } from '../../peer/clock.ts';
import { later } from './background.ts';
import type { TaskShelf } from './task-shelf.ts';

/** A message may be lost on its way between nodes: whoever waits looks by itself this often. */
const LOOK_MS = 5000;

/** Follows one task. Nothing that happens after it was made is missed, however long the follower looks away. */
export class TaskWatch {
  readonly #clock: Clock;
  readonly #release: (watch: TaskWatch) => void;
  #heard = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock, release: (watch: TaskWatch) => void) {
    this.#clock = clock;
    this.#release = release;
  }

  /** Resolves when something has happened, or after a while: look whether it is what was waited for. Rejects when the signal aborts. */
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

/** Wakes whoever follows a task, on whichever node something happens to it. */
export class TaskNews {
  readonly #shelf: TaskShelf;
  readonly #clock: Clock;
  readonly #onchange: (taskId: string) => void;
  readonly #watches = new Map<string, Set<TaskWatch>>();
  #listening: Promise<() => Promise<void>> | undefined;

  constructor(shelf: TaskShelf, clock: Clock, onchange: (taskId: string) => void) {
    this.#shelf = shelf;
    this.#clock = clock;
    this.#onchange = onchange;
  }

  /** From here on changes are heard. */
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
