import type { JSONRPCMessage } from '../../../../jsonrpc/message.ts';
import type { Clock } from '../../../../peer/clock.ts';
import type { LeftBehind } from '../../../../stores/left-behind.ts';
import type { Holding, Keeper } from '../../../../stores/shares.ts';
import { BEGINNING, eventId, splitEventId, type SessionEvent, type SessionEvents } from './session-events.ts';
import type { StoredEventsOptions } from './session-events.ts';

/** Estimated memory of an event beside its text. */
const EVENT_BYTES = 100;

/** Shared by all sessions of an endpoint. */
export interface MemoryEventsSetup extends Omit<StoredEventsOptions, 'leftBy'> {
  readonly clock: Clock;
  readonly leftBehind: LeftBehind;
}

/** Events of a session, with their size and expiry. */
interface Log extends Holding {
  /** The id and the JSON of each event in turn: an object for each would be one more that survives its request. */
  events: string[];
  /** Number of events that were dropped and still have their places: removing each from the front would cost the length of the array. */
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
    const id = eventId(stream, (this.#position += 1));
    const log = (this.#log ??= this.#newLog());
    log.events.push(id, text);
    log.bytes += text.length;
    this.#trim(log);
    log.expiresAt = clock.now() + ttlMs;
    this.#setup.leftBehind.write(log, sizeOf(log));
    return id;
  }

  get isPrimedByStore(): boolean {
    return true;
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
    const { events, first } = this.#log;
    const found: SessionEvent[] = [];
    // The events of a session have consecutive positions, of which this is the last.
    let position = this.#position;
    for (let at = events.length - 2; at >= 2 * first && position > Number(named.position); at -= 2, position -= 1) {
      const [kept, text] = [events[at], events[at + 1]];
      if (kept === eventId(named.stream, position) && text !== undefined)
        found.push({ id: kept, message: JSON.parse(text) as JSONRPCMessage });
    }
    return found.toReversed();
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
    if (log === undefined || countOf(log) <= 1) return this.#drop();
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
    while (countOf(log) > 1 && (countOf(log) > maxEvents || log.bytes > maxBytes)) dropFirst(log);
    compact(log);
  }
}

function countOf({ events, first }: Log): number {
  return events.length / 2 - first;
}

/** Empty texts take the place of the oldest event, which frees it at once. */
function dropFirst(log: Log): void {
  const at = 2 * log.first;
  log.bytes -= log.events[at + 1]?.length ?? 0;
  log.events[at] = log.events[at + 1] = '';
  log.first += 1;
}

function compact(log: Log): void {
  if (log.first <= log.events.length / 4) return;
  log.events = log.events.slice(2 * log.first);
  log.first = 0;
}

function sizeOf(log: Log): number {
  return log.bytes + EVENT_BYTES * countOf(log);
}
