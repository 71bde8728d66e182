import type { JSONRPCMessage } from '../../../../jsonrpc/message.ts';
import type { Clock } from '../../../../peer/clock.ts';
import type { LeftBehind } from '../../../../stores/left-behind.ts';
import type { Holding, Keeper } from '../../../../stores/shares.ts';
import { BEGINNING, eventId, splitEventId, type SessionEvent, type SessionEvents } from './session-events.ts';
import type { StoredEventsOptions } from './session-events.ts';

interface MemoryEvent {
  readonly stream: string;
  readonly position: number;
  readonly text: string;
}

/** Estimated memory of an event beside its text. */
const EVENT_BYTES = 100;

/** Shared by all sessions of an endpoint. */
export interface MemoryEventsSetup extends Omit<StoredEventsOptions, 'leftBy'> {
  readonly clock: Clock;
  readonly leftBehind: LeftBehind;
}

/** Events of a session, with their size and expiry. */
interface Log extends Holding {
  events: MemoryEvent[];
  /**
   * Index of the first event still stored. Dropped events are removed in batches: removing each from the front would cost the length of the
   * array.
   */
  first: number;
  bytes: number;
  expiresAt: number;
}

/**
 * Events of a session that only this process serves: in memory, as the text that was sent, and without waiting. A session that has sent
 * nothing stores nothing.
 */
export class MemoryEvents implements SessionEvents, Keeper {
  readonly #setup: MemoryEventsSetup;
  readonly #leftBy: string;
  #log: Log | undefined;
  #position = 0;

  constructor(setup: MemoryEventsSetup, leftBy: string) {
    this.#setup = setup;
    this.#leftBy = leftBy;
  }

  store(stream: string, _message: JSONRPCMessage, text: string): string {
    const { clock, ttlMs } = this.#setup;
    const position = (this.#position += 1);
    const log = (this.#log ??= this.#newLog());
    log.events.push({ stream, position, text });
    log.bytes += text.length;
    this.#trim(log);
    log.expiresAt = clock.now() + ttlMs;
    this.#setup.leftBehind.write(log, sizeOf(log));
    return eventId(stream, position);
  }

  prime(stream: string): string {
    return eventId(stream, BEGINNING);
  }

  async streamOf(id: string): Promise<string | undefined> {
    return splitEventId(id)?.stream;
  }

  async after(id: string): Promise<readonly SessionEvent[]> {
    this.expire(this.#setup.clock.now());
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
    this.#drop();
  }

  expire(now: number): void {
    if (this.#log !== undefined && now >= this.#log.expiresAt) this.#drop();
  }

  /** Drops the oldest event to make room. */
  shed(): void {
    const log = this.#log;
    if (log === undefined || log.events.length - log.first <= 1) return this.#drop();
    dropFirst(log);
    compact(log);
    this.#setup.leftBehind.shrink(log, sizeOf(log));
  }

  #newLog(): Log {
    const place = { keeper: this, share: undefined, size: 0, older: undefined, newer: undefined };
    const log: Log = { events: [], first: 0, bytes: 0, expiresAt: 0, ...place };
    this.#setup.leftBehind.hold(this.#leftBy, log, 0);
    return log;
  }

  #drop(): void {
    if (this.#log) this.#setup.leftBehind.release(this.#log);
    this.#log = undefined;
  }

  /** Drops the oldest events above the limits; the newest is always kept. */
  #trim(log: Log): void {
    const { maxEvents, maxBytes } = this.#setup;
    const { length } = log.events;
    while (log.first < length - 1 && (length - log.first > maxEvents || log.bytes > maxBytes)) dropFirst(log);
    compact(log);
  }
}

function dropFirst(log: Log): void {
  log.bytes -= log.events[log.first]?.text.length ?? 0;
  log.events[log.first] = DROPPED;
  log.first += 1;
}

function compact(log: Log): void {
  if (log.first <= log.events.length / 2) return;
  log.events = log.events.slice(log.first);
  log.first = 0;
}

function sizeOf({ events, first, bytes }: Log): number {
  return bytes + EVENT_BYTES * (events.length - first);
}

/** Placeholder for a dropped event, which frees its text at once. */
const DROPPED: MemoryEvent = { stream: '', position: 0, text: '' };
