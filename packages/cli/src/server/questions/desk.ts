import type { Host, InboxItem } from '@crosspoint/host';
import type { OperationEvent } from '../operations.ts';

type Listener = (event: OperationEvent) => void;

interface Heard {
  readonly listener: Listener;
  /** Whether the one who listens hears of this question. */
  readonly hears: (item: InboxItem) => boolean;
}

/**
 * Brings the questions of one server, which are in the inbox of its host, to commands: to those that respond first, and to the others where these leave one, or where there are none.
 */
export class QuestionDesk {
  readonly #host: Host;
  readonly #server: string;
  readonly #stopWatching: () => void;
  readonly #others = new Set<Heard>();
  readonly #responding = new Set<Listener>();
  /** Questions that those who respond were asked, and have not answered yet. */
  readonly #offered = new Set<string>();

  /** `settles` answers a question by itself, or says that it does not. */
  constructor(host: Host, server: string, settles: (item: InboxItem) => boolean) {
    this.#host = host;
    this.#server = server;
    this.#stopWatching = host.inbox.watch(({ type, item }) => {
      if (item.from.server !== server) return;
      if (type === 'asked') {
        if (!settles(item)) this.#ask(item);
      } else if (type !== 'refused') this.#over(item.id);
    });
  }

  /** The questions that wait, the oldest first; those of a call alone where one is named. */
  list(call?: string): readonly InboxItem[] {
    return this.#host.inbox.list({ server: this.#server, ...(call !== undefined && { call }) });
  }

  /** Tells questions that come from now on. Returns the function that ends it. */
  listen(listener: Listener, hears: Heard['hears']): () => void {
    const heard = { listener, hears };
    this.#others.add(heard);
    return () => void this.#others.delete(heard);
  }

  /** Gives every question to `listener` first, until `signal` aborts. */
  respond(listener: Listener, signal: AbortSignal): Promise<void> {
    this.#responding.add(listener);
    for (const item of this.list()) this.#offer(item);
    return new Promise((resolve) => {
      const end = (): void => {
        this.#responding.delete(listener);
        if (this.#responding.size === 0) for (const id of this.#offered) this.pass(id);
        resolve();
      };
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    });
  }

  /** Whether those who respond were asked the question, and have not answered yet. */
  isOffered(id: string): boolean {
    return this.#offered.has(id);
  }

  /** Leaves a question of the responding commands to the other ones. */
  pass(id: string): void {
    const item = this.#offered.delete(id) ? this.#host.inbox.get(id) : undefined;
    if (item !== undefined) this.#tellOthers(item);
  }

  close(): void {
    this.#stopWatching();
  }

  #ask(item: InboxItem): void {
    if (this.#responding.size > 0) this.#offer(item);
    else this.#tellOthers(item);
  }

  #offer(item: InboxItem): void {
    this.#offered.add(item.id);
    for (const listener of this.#responding) listener({ type: 'question', item });
  }

  #tellOthers(item: InboxItem): void {
    for (const { listener, hears } of this.#others) if (hears(item)) listener({ type: 'question', item });
  }

  #over(id: string): void {
    this.#offered.delete(id);
    const event: OperationEvent = { type: 'question-over', id };
    for (const listener of this.#responding) listener(event);
    for (const { listener } of this.#others) listener(event);
  }
}
