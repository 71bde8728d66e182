import type { JSONRPCMessage } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import { BEGINNING, eventId, splitEventId, type SessionEvent, type SessionEvents } from './session-events.ts';
import type { StoredEventsOptions } from './session-events.ts';

interface KeptEvent {
  readonly stream: string;
  readonly position: number;
  readonly text: string;
}

interface Log {
  events: KeptEvent[];
  /** Events before this one are dropped, and removed in lumps: taking them from the front one by one would cost the length of the list. */
  first: number;
  bytes: number;
  expiresAt: number;
}

/**
 * The events of a session that lives in this process alone: nobody waits for a store, and what is kept is the text that was sent. A session
 * that has sent nothing keeps nothing.
 */
export class KeptEvents implements SessionEvents {
  readonly #clock: Clock;
  readonly #limits: StoredEventsOptions;
  #log: Log | undefined;
  #position = 0;

  constructor(limits: StoredEventsOptions, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  store(stream: string, _message: JSONRPCMessage, text: string): string {
    const position = (this.#position += 1);
    const log = (this.#log ??= { events: [], first: 0, bytes: 0, expiresAt: 0 });
    log.events.push({ stream, position, text });
    log.bytes += text.length;
    this.#trim(log);
    log.expiresAt = this.#clock.now() + this.#limits.ttlMs;
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
    if (named === undefined || this.#log === undefined) return [];
    const seen = Number(named.position);
    return this.#log.events
      .slice(this.#log.first)
      .filter(({ stream, position }) => stream === named.stream && position > seen)
      .map(({ stream, position, text }) => ({
        id: eventId(stream, position),
        message: JSON.parse(text) as JSONRPCMessage,
      }));
  }

  async forget(): Promise<void> {
    this.#log = undefined;
  }

  expire(now: number): void {
    if (this.#log !== undefined && now >= this.#log.expiresAt) this.#log = undefined;
  }

  /** Drops the oldest, and never the newest. */
  #trim(log: Log): void {
    const { maxEvents, maxBytes } = this.#limits;
    const { events } = log;
    while (log.first < events.length - 1 && (events.length - log.first > maxEvents || log.bytes > maxBytes)) {
      log.bytes -= events[log.first]?.text.length ?? 0;
      events[log.first] = DROPPED;
      log.first += 1;
    }
    if (log.first <= events.length / 2) return;
    log.events = events.slice(log.first);
    log.first = 0;
  }
}

/** Stands where an event was, so that its text is let go at once. */
const DROPPED: KeptEvent = { stream: '', position: 0, text: '' };
