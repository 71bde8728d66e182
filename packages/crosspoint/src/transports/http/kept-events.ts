import type { JSONRPCMessage } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import { BEGINNING, eventId, splitEventId, type SessionEvent, type SessionEvents } from './session-events.ts';
import type { StoredEventsOptions } from './session-events.ts';

interface KeptEvent {
  readonly stream: string;
  readonly position: number;
  readonly text: string;
}

/**
 * The events of a session that lives in this process alone: nobody waits for a store, and what is kept is the text that was sent. A session
 * that has sent nothing keeps nothing.
 */
export class KeptEvents implements SessionEvents {
  readonly #clock: Clock;
  readonly #limits: StoredEventsOptions;
  #events: KeptEvent[] = NONE;
  /** Events before this one are dropped, and removed in lumps: taking them from the front one by one would cost the length of the list. */
  #first = 0;
  #bytes = 0;
  #position = 0;
  #expiresAt = Number.POSITIVE_INFINITY;

  constructor(limits: StoredEventsOptions, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  store(stream: string, _message: JSONRPCMessage, text: string): string {
    const position = (this.#position += 1);
    if (this.#events.length === 0) this.#events = [];
    this.#events.push({ stream, position, text });
    this.#bytes += text.length;
    this.#trim();
    this.#expiresAt = this.#clock.now() + this.#limits.ttlMs;
    return eventId(stream, position);
  }

  prime(stream: string): string {
    return eventId(stream, BEGINNING);
  }

  async streamOf(id: string): Promise<string | undefined> {
    return splitEventId(id)?.stream;
  }

  async after(id: string): Promise<readonly SessionEvent[]> {
    this.expire(this.#clock.now());
    const named = splitEventId(id);
    if (named === undefined) return [];
    const seen = Number(named.position);
    return this.#events
      .slice(this.#first)
      .filter(({ stream, position }) => stream === named.stream && position > seen)
      .map(({ stream, position, text }) => ({
        id: eventId(stream, position),
        message: JSON.parse(text) as JSONRPCMessage,
      }));
  }

  async forget(): Promise<void> {
    this.#events = NONE;
    this.#first = 0;
    this.#bytes = 0;
  }

  expire(now: number): void {
    if (now >= this.#expiresAt) void this.forget();
  }

  /** Drops the oldest, and never the newest. */
  #trim(): void {
    const { maxEvents, maxBytes } = this.#limits;
    const events = this.#events;
    while (this.#first < events.length - 1 && (events.length - this.#first > maxEvents || this.#bytes > maxBytes)) {
      this.#bytes -= events[this.#first]?.text.length ?? 0;
      events[this.#first] = DROPPED;
      this.#first += 1;
    }
    if (this.#first <= events.length / 2) return;
    this.#events = events.slice(this.#first);
    this.#first = 0;
  }
}

const NONE: KeptEvent[] = [];
/** Stands where an event was, so that its text is let go at once. */
const DROPPED: KeptEvent = { stream: '', position: 0, text: '' };
