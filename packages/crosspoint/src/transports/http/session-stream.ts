import type { JSONRPCMessage, RequestId } from '../../jsonrpc/message.ts';
import { serialise } from '../../jsonrpc/serialise.ts';
import { SSE_COMMENT, writeSseEvent } from '../../wire/sse.ts';
import type { HttpStream } from './exchange.ts';
import type { EventStore } from './event-store.ts';

/**
 * One stream of events to a client: the answer to a POST, or the standing stream of a GET. With an event store it outlives the connection
 * that carries it; without one, what is sent while nobody reads is lost.
 */
export class SessionStream {
  readonly id: string;
  /** Requests whose answers belong here. */
  readonly owed: Set<RequestId> = new Set();
  readonly #events: EventStore | undefined;
  readonly #onproblem: (error: Error) => void;
  #sink: HttpStream | undefined;
  #lastWrite = 0;
  /** Everything that touches the stream goes through here in order, because storing an event takes time. */
  #tail: Promise<void> = Promise.resolve();

  constructor(id: string, events: EventStore | undefined, onproblem: (error: Error) => void) {
    this.id = id;
    this.#events = events;
    this.#onproblem = onproblem;
  }

  get isOpen(): boolean {
    return this.#sink !== undefined;
  }

  /** Takes a connection. `primed`: the first event is empty, so that the client has an id to come back with. */
  attach(sink: HttpStream, primed: boolean): void {
    this.#sink = sink;
    if (primed && this.#events) this.#store(NOTHING);
  }

  /** Takes a connection that wants to go on after an event: what it missed comes first, then what follows. */
  resume(sink: HttpStream, lastEventId: string): Promise<void> {
    this.#sink = undefined;
    return this.#inOrder(async () => {
      await this.#events?.replayEventsAfter(lastEventId, {
        send: async (id, message) => {
          if (Object.keys(message).length > 0) sink.write(eventOf(message, id));
        },
      });
      this.#sink = sink;
    });
  }

  detach(): void {
    this.#sink = undefined;
  }

  send(message: JSONRPCMessage): void {
    if (this.#events) this.#store(message);
    else this.#write(eventOf(message, undefined));
  }

  /** Ends the connection but not the stream: the client is to come back after `retryMs`. */
  pause(retryMs: number): void {
    void this.#inOrder(async () => {
      this.#write(`retry: ${retryMs}\n\n`);
      this.#sink?.end();
      this.#sink = undefined;
    });
  }

  end(): void {
    if (!this.#events) return this.#close();
    void this.#inOrder(async () => this.#close());
  }

  /** A sign of life where there has been none for a while. */
  keepAlive(now: number, everyMs: number): void {
    if (this.#sink && now - this.#lastWrite >= everyMs) {
      this.#write(SSE_COMMENT);
      this.#lastWrite = now;
    }
  }

  #close(): void {
    this.#sink?.end();
    this.#sink = undefined;
  }

  #store(message: JSONRPCMessage): void {
    void this.#inOrder(async () => {
      const id = await this.#events?.storeEvent(this.id, message);
      this.#write(message === NOTHING ? writeSseEvent({ ...(id !== undefined && { id }), data: '' }) : eventOf(message, id));
    });
  }

  #write(text: string): void {
    if (this.#sink?.write(text) === false) this.#sink = undefined;
  }

  #inOrder(run: () => Promise<void>): Promise<void> {
    this.#tail = this.#tail.then(run).catch((error: unknown) => this.#onproblem(error instanceof Error ? error : new Error(String(error))));
    return this.#tail;
  }
}

/** What the priming event holds. */
const NOTHING = Object.freeze({}) as JSONRPCMessage;

function eventOf(message: JSONRPCMessage, id: string | undefined): string {
  return writeSseEvent({ event: 'message', data: serialise(message), ...(id !== undefined && { id }) });
}
