import type { RunEvent } from './run.ts';

/** Events that are kept for a reader who may come. */
const MOST_UNREAD = 1000;

/**
 * The events of a run until they are read. Words that were not read yet are joined, and of the progress of a call the newest is kept. A run that
 * nobody reads keeps its last thousand.
 */
export class EventQueue implements AsyncIterable<RunEvent> {
  readonly #events: RunEvent[] = [];
  #wake: (() => void) | undefined;
  #isOver = false;
  #isRead = false;

  push(event: RunEvent): void {
    const last = this.#events.at(-1);
    const joined = last === undefined ? undefined : joinedEvent(last, event);
    if (joined === undefined) this.#events.push(event);
    else this.#events[this.#events.length - 1] = joined;
    if (!this.#isRead && this.#events.length > MOST_UNREAD) this.#events.shift();
    this.#wake?.();
  }

  /** No event comes any more. */
  close(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    if (this.#isRead) throw new TypeError('The events of a run are read once. Keep them in a list to read them again.');
    this.#isRead = true;
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) yield event;
      else if (this.#isOver) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

function joinedEvent(last: RunEvent, next: RunEvent): RunEvent | undefined {
  if ((next.type === 'text' || next.type === 'reasoning') && last.type === next.type)
    return { type: next.type, text: last.text + next.text };
  if (next.type === 'progress' && last.type === 'progress' && last.call.id === next.call.id) return next;
  return undefined;
}
