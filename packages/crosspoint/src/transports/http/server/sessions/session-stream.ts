import { kindOf, type JSONRPCMessage, type RequestId } from '../../../../jsonrpc/message.ts';
import { serialise } from '../../../../jsonrpc/serialise.ts';
import { asError } from '../../../../runtime/guard.ts';
import { SSE_COMMENT, writeMessageEvent, writeSseEvent } from '../../../../wire/sse.ts';
import type { HttpStream } from '../adapters/exchange.ts';
import type { PostExchange } from './post-exchange.ts';
import { beginningOf, type SessionEvents } from './session-events.ts';
import { atEndOfTurn, type Lasting } from '../adapters/end-of-turn.ts';

/** A stream of events to a client. */
export interface OutgoingStream {
  readonly id: string;
  readonly isOpen: boolean;
  /** When the token expires that its connection was opened with; absent where there is no such moment. */
  until?: number | undefined;
  /** Takes a connection. With `primed` the first event is empty, so that the client has an id to come back with, and says when to. */
  attach(sink: HttpStream, primed: { readonly retryMs: number } | undefined, owed: readonly RequestId[]): void;
  /**
   * Takes a connection that goes on after an event, from whatever connection there was: what it missed comes first, then what follows.
   * Resolves with whether an answer was among it.
   */
  resume(sink: HttpStream, lastEventId: string): Promise<boolean>;
  /** A connection has ended. Another that came since stays. */
  detach(sink: HttpStream): void;
  send(message: JSONRPCMessage): void;
  /** Ends the connection but not the stream: the client is to come back after `retryMs`. */
  pause(retryMs: number): void;
  /** Ends the stream once everything that was sent has left and is kept; gives a promise where that has to be waited for. */
  end(): Promise<void> | undefined;
  /** A sign of life where there has been none for a while. */
  keepAlive(now: number, everyMs: number): void;
  /** Looks for what other nodes have added. */
  tick?(now: number): void;
}

/**
 * Does what the time asks for on a stream that is read. False when the token has expired that it was opened with: nobody is told anything on the
 * strength of that, and the client comes back with another.
 */
export function goesOn(stream: OutgoingStream, now: number, keepAliveMs: number): boolean {
  if (stream.until !== undefined && now >= stream.until) return false;
  if (keepAliveMs > 0) stream.keepAlive(now, keepAliveMs);
  stream.tick?.(now);
  return true;
}

/** The session of a stream. */
export interface StreamOwner {
  /** A name for a stream that no other has. */
  nextName(): string;
  onproblem(error: Error): void;
}

/** Where nothing goes on: there may be many idle sessions. Nothing is ever put into it. */
export const NONE: Set<OutgoingStream> = new Set();

/**
 * One stream of events to a client: the answer to a POST, or the standing stream of a GET. With events that are kept it outlives the
 * connection that carries it; without, what is sent while nobody reads is lost.
 */
export class SessionStream implements OutgoingStream, Lasting {
  // Declared alone: most streams have none.
  declare until?: number | undefined;
  /** How many requests are to be answered here. */
  owed = 0;
  /** The POST that this may become the answer to, until that is decided. */
  undecided: PostExchange | undefined;
  /** The client wants no answer any more. */
  isAbandoned = false;
  readonly #events: SessionEvents | undefined;
  readonly #owner: StreamOwner;
  #id: string | undefined;
  #sink: HttpStream | undefined;
  #hasWritten = false;
  #lastSign = 0;
  /** How the stream is to begin, while something to begin with may still come in this turn: then one word to the store is enough. */
  #beginning: Beginning | undefined;
  /** Everything that touches the stream goes through here in order, because storing an event may take time; `undefined` while nothing waits. */
  #tail: Promise<void> | undefined;

  constructor(id: string | undefined, events: SessionEvents | undefined, owner: StreamOwner) {
    this.#id = id;
    this.#events = events;
    this.#owner = owner;
  }

  /** Many need none: they are answered as a whole. */
  get id(): string {
    return (this.#id ??= this.#owner.nextName());
  }

  get isOpen(): boolean {
    return this.#sink !== undefined;
  }

  attach(sink: HttpStream, primed: { readonly retryMs: number } | undefined, owed: readonly RequestId[]): void {
    this.#sink = sink;
    const events = this.#events;
    if (!events || (!primed && !events.shared)) return;
    if (events.shared) {
      this.#beginning = { primed, owed };
      sink.wait?.();
      return atEndOfTurn(this);
    }
    if (this.#tail === undefined) void this.#after(this.#prime(events, primed, owed));
    else void this.#inOrder(() => this.#prime(events, primed, owed));
  }

  /** @internal Nothing has come in this turn: the stream begins by itself. */
  lasts(): void {
    const beginning = this.#beginning;
    const events = this.#events;
    if (beginning === undefined || events === undefined) return;
    this.#beginning = undefined;
    const sink = this.#sink;
    void this.#inOrder(async () => {
      await this.#prime(events, beginning.primed, beginning.owed);
      sink?.go?.();
    });
  }

  /** @internal */
  failed(error: unknown): void {
    this.#problem(error);
  }

  async resume(sink: HttpStream, lastEventId: string): Promise<boolean> {
    const before = this.#sink;
    this.#sink = undefined;
    before?.end();
    let hasAnswer = false;
    await this.#inOrder(async () => {
      try {
        for (const { id, message } of (await this.#events?.after(lastEventId)) ?? []) {
          const kind = kindOf(message);
          hasAnswer ||= kind === 'result' || kind === 'error';
          if (!sink.write(eventOf(message, id))) return;
        }
        this.#sink = sink;
      } catch (error) {
        sink.end();
        throw error;
      }
    });
    return hasAnswer;
  }

  detach(sink: HttpStream): void {
    if (this.#sink === sink) this.#sink = undefined;
  }

  send(message: JSONRPCMessage): void {
    const events = this.#events;
    if (!events) return this.#write(eventOf(message, undefined));
    // Written here and not when its turn comes: the text is of the message as it is now, and what cannot be written throws now.
    const data = serialise(message);
    const beginning = this.#beginning;
    this.#beginning = undefined;
    if (this.#tail !== undefined) return void this.#inOrder(() => this.#store(events, message, data, beginning));
    const storing = this.#store(events, message, data, beginning);
    if (storing !== undefined) void this.#after(storing);
  }

  pause(retryMs: number): void {
    this.lasts();
    void this.#inOrder(() => {
      this.#write(`retry: ${Math.max(0, Math.trunc(retryMs))}\n\n`);
      this.#close();
    });
  }

  end(): Promise<void> | undefined {
    const shared = this.isAbandoned ? this.#events?.shared : undefined;
    this.lasts();
    return this.#inOrder(() => {
      this.#close();
      return shared?.add(this.id, { isOver: true }).then(() => shared.wake());
    });
  }

  keepAlive(now: number, everyMs: number): void {
    if (this.#hasWritten) {
      this.#hasWritten = false;
      this.#lastSign = now;
    } else if (this.#sink && now - this.#lastSign >= everyMs) {
      this.#write(SSE_COMMENT);
    }
  }

  #prime(
    events: SessionEvents,
    primed: { readonly retryMs: number } | undefined,
    owed: readonly RequestId[],
  ): void | Promise<void> {
    const kept = events.prime(this.id, owed);
    const begin = (id: string | undefined): void => {
      if (primed && id !== undefined) this.#write(primingEvent(id, primed.retryMs));
    };
    return typeof kept === 'string' ? begin(kept) : this.#kept(kept, begin);
  }

  #store(
    events: SessionEvents,
    message: JSONRPCMessage,
    data: string,
    beginning: Beginning | undefined,
  ): void | Promise<void> {
    const kept = events.store(this.id, message, data, beginning?.owed);
    if (typeof kept === 'string') return this.#write(writeMessageEvent(data, kept));
    return this.#kept(kept, (id) => {
      // Where the client does not read here it may read elsewhere.
      if (!this.isOpen) events.shared?.wake();
      const before =
        beginning?.primed && id !== undefined ? primingEvent(beginningOf(this.id), beginning.primed.retryMs) : '';
      this.#write(before + writeMessageEvent(data, id));
    });
  }

  /** An event that could not be kept is sent all the same; only coming back to it is not possible. */
  #kept(id: Promise<string>, write: (id: string | undefined) => void): Promise<void> {
    return id.then(write, (error: unknown) => {
      this.#problem(error);
      write(undefined);
    });
  }

  #problem(error: unknown): void {
    this.#owner.onproblem(asError(error));
  }

  #close(): void {
    this.#sink?.end();
    this.#sink = undefined;
  }

  #write(text: string): void {
    this.#hasWritten = true;
    if (this.#sink?.write(text) === false) this.#sink = undefined;
  }

  /** At once where nothing waits; gives a promise where something has to be waited for. */
  #inOrder(run: () => void | Promise<void>): Promise<void> | undefined {
    return this.#after(this.#tail === undefined ? run() : this.#tail.then(run));
  }

  #after(running: void | Promise<void>): Promise<void> | undefined {
    if (running === undefined) return undefined;
    const tail = running
      .catch((error: unknown) => this.#problem(error))
      .then(() => {
        if (this.#tail === tail) this.#tail = undefined;
      });
    this.#tail = tail;
    return tail;
  }
}

interface Beginning {
  readonly primed: { readonly retryMs: number } | undefined;
  readonly owed: readonly RequestId[];
}

/** Empty: it gives the client an id to come back with, and says when to. */
function primingEvent(id: string, retryMs: number): string {
  return writeSseEvent({ id, retry: retryMs, data: '' });
}

export function eventOf(message: JSONRPCMessage, id: string | undefined): string {
  return writeMessageEvent(serialise(message), id);
}

/** Names that no other stream of a session has, in this process or another. */
export class StreamNames {
  readonly #start: string;
  #count = 0;

  constructor(prefix: string = '') {
    this.#start = `${prefix}${crypto.randomUUID().slice(-12)}`;
  }

  next(): string {
    this.#count += 1;
    return `${this.#start}-${this.#count}`;
  }
}
