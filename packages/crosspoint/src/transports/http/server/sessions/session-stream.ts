import { kindOf, type JSONRPCMessage, type RequestId } from '../../../../jsonrpc/message.ts';
import { serialise } from '../../../../jsonrpc/serialise.ts';
import { asError } from '../../../../runtime/guard.ts';
import { RenewedSet } from '../../../../runtime/renewed-set.ts';
import { SSE_COMMENT, writeMessageEvent, writeSseEvent } from '../../../../wire/sse.ts';
import type { HttpStream } from '../adapters/exchange.ts';
import type { PendingPost } from './pending-post.ts';
import { beginningOf, type SessionEvents } from './session-events.ts';
import { atEndOfTurn, type TurnEndListener } from '../adapters/end-of-turn.ts';

/** A stream of events to a client. */
export interface OutgoingStream {
  readonly id: string;
  readonly isOpen: boolean;
  /** Expiry of the token that the connection was opened with; absent when it does not expire. */
  until?: number | undefined;
  /**
   * Attaches a connection. With `primed`, an empty first event gives the client an id to resume from and a delay. `isAnswered`: a message follows at once.
   */
  attach(sink: HttpStream, primed: Primed | undefined, owed: readonly RequestId[], isAnswered?: boolean): void;
  /**
   * Replaces the connection by one that resumes after an event: missed messages are sent first. Resolves with whether an answer was among
   * them.
   */
  resume(sink: HttpStream, lastEventId: string): Promise<boolean>;
  /** A connection has ended; one attached since then stays. */
  detach(sink: HttpStream): void;
  /** `text`: the JSON of the message, where it has been made already. */
  send(message: JSONRPCMessage, text?: string): void;
  /** Ends the connection but not the stream: the client is to return after `retryMs`. */
  pause(retryMs: number): void;
  /** Ends the stream once all messages are sent and stored; returns a promise where that takes time. */
  end(): Promise<void> | undefined;
  /** Sends a comment when nothing was sent for `everyMs`. */
  keepAlive(now: number, everyMs: number): void;
  /** Reads entries that other nodes have added. */
  tick?(now: number): void;
}

/**
 * Keeps a stream alive. False when the token of its connection has expired: nothing more is sent then, and the client has to return with a
 * new token.
 */
export function keepOpen(stream: OutgoingStream, now: number, keepAliveMs: number): boolean {
  if (stream.until !== undefined && now >= stream.until) return false;
  if (keepAliveMs > 0) stream.keepAlive(now, keepAliveMs);
  stream.tick?.(now);
  return true;
}

/** The session that a stream belongs to. */
export interface StreamOwner {
  /** A unique name for a stream. */
  nextName(): string;
  /** The turn has ended before a POST was answered. */
  onunanswered(post: PendingPost): void;
  onproblem(error: Error): void;
}

/** Shared empty set for idle sessions, of which there may be many. Never modified. */
export const NONE: RenewedSet<OutgoingStream> = new RenewedSet();

export function withStream(streams: typeof NONE, stream: OutgoingStream): typeof NONE {
  const own = streams === NONE ? new RenewedSet<OutgoingStream>() : streams;
  own.add(stream);
  return own;
}

/**
 * One stream of events to a client: the reply to a POST, or the standing stream of a GET. With stored events it outlives its connection;
 * without, messages sent while no connection is attached are lost.
 */
export class SessionStream implements OutgoingStream, TurnEndListener {
  // Only declared: most streams have no expiry.
  declare until?: number | undefined;
  /** Number of requests to be answered on this stream. */
  owed = 0;
  /** The POST that this stream may become the reply to, until that is decided. */
  undecided: PendingPost | undefined;
  /** The client has cancelled the requests. */
  isAbandoned = false;
  readonly #events: SessionEvents | undefined;
  readonly #owner: StreamOwner;
  #id: string | undefined;
  #sink: HttpStream | undefined;
  #hasWritten = false;
  #lastSign = 0;
  /** How the stream is to begin, until the turn ends: a message sent within the turn begins it with the same write to the store. */
  #beginning: Beginning | undefined;
  /** Queue of all operations on the stream, because storing an event may take time; `undefined` while it is empty. */
  #tail: Promise<void> | undefined;

  constructor(id: string | undefined, events: SessionEvents | undefined, owner: StreamOwner) {
    this.#id = id;
    this.#events = events;
    this.#owner = owner;
  }

  /** Made on first use: many POST requests are answered as a whole and need none. */
  get id(): string {
    return (this.#id ??= this.#owner.nextName());
  }

  get isOpen(): boolean {
    return this.#sink !== undefined;
  }

  attach(sink: HttpStream, primed: Primed | undefined, owed: readonly RequestId[], isAnswered = false): void {
    this.#sink = sink;
    const events = this.#events;
    if (!events || (!primed && !events.shared)) return;
    this.#beginning = { primed, owed };
    if (isAnswered && events.isPrimedByStore) return;
    if (events.shared) {
      sink.wait?.();
      return atEndOfTurn(this);
    }
    this.onTurnEnd();
    // An answer that follows soon leaves with the first event: one write for two. A connection that breaks before has nothing to resume
    // from, as one that breaks while the first event is on its way.
    if (!isAnswered && owed.length > 0) sink.wait?.(true);
  }

  /** @internal No message was sent in this turn, so the stream begins without one. */
  onTurnEnd(): void {
    if (this.undecided) return this.#owner.onunanswered(this.undecided);
    const beginning = this.#beginning;
    const events = this.#events;
    if (beginning === undefined || events === undefined) return;
    this.#beginning = undefined;
    void this.#inOrder(() => this.#prime(events, beginning)?.then(() => this.#sink?.go?.()));
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

  send(message: JSONRPCMessage, text?: string): void {
    const events = this.#events;
    // Serialised now and not when it is stored: later changes to the object have no effect, and an error reaches the caller.
    const data = text ?? serialise(message);
    if (!events) return this.#write(writeMessageEvent(data, undefined));
    const beginning = this.#beginning;
    this.#beginning = undefined;
    if (this.#tail !== undefined) return void this.#inOrder(() => this.#store(events, message, data, beginning));
    const storing = this.#store(events, message, data, beginning);
    if (storing !== undefined) void this.#after(storing);
  }

  pause(retryMs: number): void {
    this.onTurnEnd();
    void this.#inOrder(() => {
      this.#write(`retry: ${Math.max(0, Math.trunc(retryMs))}\n\n`);
      this.#close();
    });
  }

  end(): Promise<void> | undefined {
    const shared = this.isAbandoned ? this.#events?.shared : undefined;
    this.onTurnEnd();
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

  #prime(events: SessionEvents, { primed, owed }: Beginning): Promise<void> | undefined {
    const kept = events.prime(this.id, owed);
    const begin = (id: string | undefined): undefined => {
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
    const primed = beginning?.primed;
    if (typeof kept === 'string') return this.#writeEvent(data, kept, primed);
    return this.#kept(kept, (id) => {
      // A client that does not read here may read on another node.
      if (!this.isOpen) events.shared?.wake();
      this.#writeEvent(data, id, primed);
    });
  }

  #writeEvent(data: string, id: string | undefined, primed: Primed | undefined): void {
    const before = primed && id !== undefined ? primingEvent(beginningOf(this.id), primed.retryMs) : '';
    this.#write(before + writeMessageEvent(data, id));
  }

  /** An event that could not be stored is sent without an id; it cannot be resumed from. */
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

  /** Runs at once when the queue is empty; otherwise returns a promise. */
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

interface Primed {
  readonly retryMs: number;
}

interface Beginning {
  readonly primed: Primed | undefined;
  readonly owed: readonly RequestId[];
}

/** An empty event, which gives the client an id to resume from and a delay. */
function primingEvent(id: string, retryMs: number): string {
  return writeSseEvent({ id, retry: retryMs, data: '' });
}

export function eventOf(message: JSONRPCMessage, id: string | undefined): string {
  return writeMessageEvent(serialise(message), id);
}

/** Unique names for the streams of a session, across processes. */
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
