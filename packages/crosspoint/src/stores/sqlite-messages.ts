import { Channels } from './channels.ts';
import type { SqliteStatements } from './sqlite-driver.ts';
import { SQL } from './sqlite-schema.ts';
import type { Json } from './store.ts';

/** Milliseconds that a message is kept for processes that have not read it yet. */
const KEPT_MS = 60_000;

/** Messages through a table: listeners in this process are told at once, other processes poll. */
export class SqliteMessages {
  readonly #statements: SqliteStatements;
  readonly #pollMs: number;
  readonly #now: () => number;
  readonly #channels = new Channels();
  readonly #sender: string = crypto.randomUUID();
  #last = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(statements: SqliteStatements, { pollMs, now }: { pollMs: number; now: () => number }) {
    this.#statements = statements;
    this.#pollMs = pollMs;
    this.#now = now;
  }

  publish(channel: string, text: string, isShared: boolean): void {
    if (isShared) this.#statements.run(SQL.publish, channel, text, this.#sender, this.#now());
    this.#channels.tell(channel, text);
  }

  subscribe(channel: string, onmessage: (message: Json) => void): () => void {
    if (this.#channels.size === 0) {
      const [row] = this.#statements.query(SQL.lastMessage);
      this.#last = Number((row as { id: number | bigint }).id);
    }
    const end = this.#channels.add(channel, onmessage);
    if (Number.isFinite(this.#pollMs)) this.#schedule();
    return end;
  }

  sweep(): void {
    this.#statements.run(SQL.sweepMessages, this.#now() - KEPT_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#channels.clear();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#look();
      if (this.#channels.size > 0) this.#schedule();
    }, this.#pollMs);
    // Listening alone does not keep a process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #look(): void {
    try {
      for (const row of this.#statements.query(SQL.messages, this.#last, this.#sender)) {
        const { id, channel, message } = row as { id: number | bigint; channel: string; message: string };
        this.#last = Number(id);
        this.#channels.tell(channel, message);
      }
    } catch {
      // The file is busy: the messages are read at the next poll.
    }
  }
}
