import { kindOf, type JSONRPCMessage, type RequestId } from '../../../../jsonrpc/message.ts';
import { INTERNAL_ERROR } from '../../../../jsonrpc/codes.ts';
import { asError, attempt } from '../../../../runtime/guard.ts';
import { SSE_COMMENT, writeSseEvent } from '../../../../wire/sse.ts';
import type { HttpStream } from '../adapters/exchange.ts';
import { eventOf, type OutgoingStream } from './session-stream.ts';
import { STANDING } from './session-events.ts';
import type { SharedEvents, StreamEntry } from './shared-events.ts';

/** The other nodes, as a followed stream sees them. */
export interface StreamNodes {
  /**
   * Whether the node that serves the stream is alive. False for streams of this node, which would not be followed if it still served them.
   */
  isWorkedOn(): Promise<boolean>;
  /**
   * The standing stream is read on this node from now on. `last`: the newest mark stored with it. Returns the mark that is valid from now
   * on.
   */
  onstanding(last: string | undefined): string | undefined;
  /** The mark to store with messages sent now. */
  mark(): string | undefined;
  onproblem(error: Error): void;
  /** The stream is complete, or another node reads it now: it needs no attention any more. */
  onover(stream: OutgoingStream): void;
  /** Milliseconds until a client is to return to a stream that was closed early. */
  readonly retryMs: number;
}

/** How often a quiet standing stream is read, and how often its mark is stored again so that it does not expire. */
const LOOK_MS = 10_000;
const MARK_MS = 60_000;

/**
 * A stream written from its stored log, by the node that its reader is connected to: entries of any node are sent once, in the order of the
 * log. Used for the standing stream, on which every node may send, and for the answer to a request that another node serves.
 */
export class FollowedStream implements OutgoingStream {
  readonly id: string;
  declare until?: number | undefined;
  readonly #events: SharedEvents;
  readonly #nodes: StreamNodes;
  readonly #seen = new Set<string>();
  /** Requests not answered yet. */
  readonly #owed = new Set<RequestId>();
  readonly #answered = new Set<RequestId>();
  #sink: HttpStream | undefined;
  #position: string | undefined;
  #isReading = false;
  #isWoken = false;
  #isOver = false;
  /** Whether the newest node to take the standing stream is another. */
  #isTaken = false;
  #hasWritten = false;
  #lastSign = 0;
  #lookedAt = 0;
  #markedAt = 0;
  #unlisten: (() => Promise<void>) | undefined;
  /** Stores messages one after the other. */
  #tail: Promise<void> = Promise.resolve();

  constructor(id: string, events: SharedEvents, nodes: StreamNodes) {
    this.id = id;
    this.#events = events;
    this.#nodes = nodes;
  }

  get isOpen(): boolean {
    return this.#sink !== undefined;
  }

  attach(sink: HttpStream, primed: { readonly retryMs: number } | undefined): void {
    this.#take(sink);
    void this.#begin(sink, async () => {
      this.#position = undefined;
      const id = await this.#mark(await this.#events.read(this.id));
      if (primed && this.#sink === sink) this.#write(writeSseEvent({ id, retry: primed.retryMs, data: '' }));
    });
  }

  async resume(sink: HttpStream, lastEventId: string): Promise<boolean> {
    this.#take(sink);
    await this.#begin(sink, async () => {
      const after = this.#events.positionOf(lastEventId);
      // In this order: entries added between the two reads are read again afterwards, as new ones.
      const all = await this.#events.read(this.id);
      const missed = new Set((await this.#events.read(this.id, after)).map(({ position }) => position));
      for (const entry of once(all, this.#seen)) this.#account(entry, missed.has(entry.position));
      this.#position = all.at(-1)?.position ?? after;
      if (this.id === STANDING) await this.#mark(all);
      else this.#finishIfDone();
    });
    return this.#isOver;
  }

  detach(sink: HttpStream): void {
    if (this.#sink === sink) this.#leave();
  }

  send(message: JSONRPCMessage): void {
    const mark = this.#sink && this.#nodes.mark();
    this.#tail = this.#tail
      .then(async () => {
        await this.#events.add(this.id, { message, ...(mark !== undefined && { mark }) });
        if (this.isOpen) this.#look();
        else this.#events.wake();
      })
      .catch((error: unknown) => this.#problem(error));
  }

  pause(retryMs: number): void {
    this.#write(`retry: ${Math.max(0, Math.trunc(retryMs))}\n\n`);
    const sink = this.#sink;
    this.#leave();
    sink?.end();
  }

  async end(): Promise<void> {
    await this.#tail;
    const sink = this.#sink;
    this.#leave();
    sink?.end();
  }

  keepAlive(now: number, everyMs: number): void {
    if (this.#hasWritten) {
      this.#hasWritten = false;
      this.#lastSign = now;
    } else if (this.#sink && now - this.#lastSign >= everyMs) {
      this.#write(SSE_COMMENT);
    }
  }

  tick(now: number): void {
    if (!this.isOpen) return;
    if (this.id !== STANDING) {
      this.#look();
      void this.#watchNode().catch((error: unknown) => this.#problem(error));
      return;
    }
    if (now - this.#lookedAt >= LOOK_MS) {
      this.#lookedAt = now;
      this.#look();
    }
    if (now - this.#markedAt < MARK_MS) return;
    this.#markedAt = now;
    void this.#events.add(STANDING, markOf(this.#nodes.mark())).catch((error: unknown) => this.#problem(error));
  }

  /** Replaces the connection of the stream. */
  #take(sink: HttpStream): void {
    this.#sink?.end();
    this.#sink = sink;
  }

  /** Prepares a connection; nothing is read for it before. If that fails the connection ends, and its client returns. */
  async #begin(sink: HttpStream, run: () => Promise<void>): Promise<void> {
    // Delays reads that are requested meanwhile.
    this.#isReading = true;
    try {
      this.#unlisten ??= await this.#events.listen(() => this.#look());
      await run();
    } catch (error) {
      this.#problem(error);
      this.detach(sink);
      sink.end();
    } finally {
      this.#isReading = false;
    }
    if (this.isOpen) this.#look();
    else this.#leave();
  }

  /**
   * Takes the standing stream over from the node that reads it, and stores a mark, from which the next node can tell which changes were
   * not sent. If several nodes take it at once, the one whose entry is last in the log has it.
   */
  async #mark(kept: readonly StreamEntry[]): Promise<string> {
    const last = kept.findLast(({ mark }) => mark !== undefined)?.mark;
    const mark = markOf(this.#nodes.onstanding(last));
    const position = await this.#events.add(STANDING, { ...mark, takenBy: this.#events.writer });
    this.#events.wake();
    this.#isTaken = false;
    this.#position ??= position;
    return this.#events.idOf(STANDING, position);
  }

  #look(): void {
    this.#isWoken = true;
    if (!this.#isReading) void this.#read().catch((error: unknown) => this.#problem(error));
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#isWoken && this.isOpen) {
        this.#isWoken = false;
        const entries = await this.#events.read(this.id, this.#position);
        // The reader has left; it gets these entries when it returns.
        if (!this.isOpen) return;
        for (const entry of entries) {
          this.#position = entry.position;
          for (const fresh of once([entry], this.#seen)) this.#account(fresh, true);
        }
        forgetOldest(this.#seen);
        if (this.#isTaken) {
          this.pause(this.#nodes.retryMs);
          return this.#nodes.onover(this);
        }
        this.#finishIfDone();
      }
    } finally {
      this.#isReading = false;
    }
  }

  /** Writes an entry. An answer is sent once, even if several nodes have stored one. */
  #account({ position, message, owed, isOver, takenBy }: StreamEntry, isNews: boolean): void {
    for (const id of owed ?? []) if (!this.#answered.has(id)) this.#owed.add(id);
    if (isOver) this.#isOver = true;
    if (takenBy !== undefined) this.#isTaken = takenBy !== this.#events.writer;
    if (message === undefined) return;
    const kind = kindOf(message);
    const id = kind === 'result' || kind === 'error' ? (message as { id?: RequestId | null }).id : undefined;
    if (id !== undefined && id !== null) {
      if (this.#answered.has(id)) return;
      this.#answered.add(id);
      this.#owed.delete(id);
    }
    if (isNews) this.#write(eventOf(message, this.#events.idOf(this.id, position)));
  }

  /** Answers the requests of a dead node with "outcome unknown". */
  async #watchNode(): Promise<void> {
    if (this.#owed.size === 0 || (await this.#nodes.isWorkedOn())) return;
    // Answers stored just before the node died count.
    const answered = new Set(
      (await this.#events.read(this.id)).map(({ message }) => (message as { id?: RequestId } | undefined)?.id),
    );
    const lost = [...this.#owed].filter((id) => !answered.has(id));
    if (lost.length === 0 || !(await this.#events.claim(this.id))) return this.#look();
    for (const id of lost) await this.#events.add(this.id, { message: outcomeUnknown(id) });
    this.#events.wake();
    this.#look();
  }

  #finishIfDone(): void {
    if (this.id === STANDING || (this.#owed.size > 0 && !this.#isOver)) return;
    this.#isOver = true;
    const sink = this.#sink;
    this.#leave();
    sink?.end();
    this.#nodes.onover(this);
  }

  #leave(): void {
    this.#sink = undefined;
    const unlisten = this.#unlisten;
    this.#unlisten = undefined;
    attempt(
      () => unlisten?.(),
      (error) => this.#problem(error),
    );
  }

  #write(text: string): void {
    this.#hasWritten = true;
    if (this.#sink?.write(text) === false) this.#leave();
  }

  #problem(error: unknown): void {
    this.#nodes.onproblem(asError(error));
  }
}

/** Removes duplicate entries. */
export function once(entries: readonly StreamEntry[], seen: Set<string> = new Set()): StreamEntry[] {
  return entries.filter(({ key }) => !seen.has(key) && seen.add(key));
}

/** Duplicates arrive close together, so the last 1000 keys are enough. */
function forgetOldest(keys: Set<string>): void {
  for (const key of keys) {
    if (keys.size <= 1000) return;
    keys.delete(key);
  }
}

function markOf(mark: string | undefined): { mark?: string } {
  return mark === undefined ? {} : { mark };
}

function outcomeUnknown(id: RequestId): JSONRPCMessage {
  const message =
    'The outcome is unknown: the node that served this request has stopped. The request may or may not have been carried out.';
  return { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message, data: { outcome: 'unknown' } } };
}
