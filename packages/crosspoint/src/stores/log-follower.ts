import { asError } from '../runtime/guard.ts';
import type { LogEntry, Store } from './store.ts';

export interface LogFollowerOptions {
  readonly store: Store;
  readonly log: string;
  /** The channel that announces new entries. Messages may be lost, so `wake` is called now and then as well. */
  readonly channel: string;
  /** Must not throw. */
  readonly onentry: (entry: LogEntry) => void;
  readonly onproblem: (error: Error) => void;
}

const PAGE = 200;

/** Reads a log as it grows: every entry after the first position once, in order. */
export class LogFollower {
  readonly #options: LogFollowerOptions;
  #position: string | undefined;
  #end: (() => Promise<void>) | undefined;
  #isStopped = false;
  #isReading = false;
  #isWoken = false;

  constructor(options: LogFollowerOptions) {
    this.#options = options;
  }

  /** The position of the last entry handed over, or the one it started from. */
  get position(): string | undefined {
    return this.#position;
  }

  /** Starts after a position, or at the beginning. Rejects when the channel cannot be subscribed to; `start` may then be called again. */
  async start(after: string | undefined): Promise<void> {
    const { store, channel } = this.#options;
    this.#position = after;
    this.#end ??= await store.subscribe(channel, () => this.wake());
    this.wake();
  }

  /** Reads new entries now. Does nothing before the start and after the stop. */
  wake(): void {
    if (this.#isStopped || this.#end === undefined) return;
    this.#isWoken = true;
    if (!this.#isReading) void this.#read();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#end?.();
  }

  async #read(): Promise<void> {
    const { store, log, onentry, onproblem } = this.#options;
    this.#isReading = true;
    try {
      while (this.#isWoken && !this.#isStopped) {
        this.#isWoken = false;
        const after = this.#position === undefined ? {} : { after: this.#position };
        const entries = await store.read(log, { ...after, limit: PAGE });
        for (const entry of entries) {
          this.#position = entry.position;
          onentry(entry);
        }
        if (entries.length === PAGE) this.#isWoken = true;
      }
    } catch (error) {
      // The store cannot be reached: the entries are read at the next wake.
      onproblem(asError(error));
    } finally {
      this.#isReading = false;
    }
  }
}
