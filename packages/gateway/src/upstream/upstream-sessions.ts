import { ProtocolError } from 'crosspoint/client';
import { UpstreamSession, type SessionSettings } from './upstream-session.ts';
import type { Upstream, UpstreamCaller } from './upstream.ts';

export interface SessionLimits {
  /** Most sessions of the server at a time. */
  readonly atMost: number;
  /** Most sessions of one caller, where calls that may be asked need one each. */
  readonly perCaller: number;
  /** Milliseconds that a session without a user stays open. */
  readonly idleMs: number;
  /** Whether calls that may be asked get a session each, or wait for each other. */
  readonly concurrency: 'own' | 'wait';
}

/** The use of a session, from `acquire` to `release`. */
export interface Slot {
  readonly session: UpstreamSession;
  /** Says that the call of this slot waits for a person: others need not wait for it. */
  isParked: boolean;
  /** One more use of the same session. */
  share(): Slot;
  release(): void;
  /** Releases the session, and closes it at once if nothing else uses it. */
  end(): void;
}

interface Place {
  readonly session: UpstreamSession;
  readonly slots: Set<Slot>;
  /** Slots of calls that may be asked, one at a time on a connection with one channel. */
  readonly asking: Set<Slot>;
  idle: ReturnType<typeof setTimeout> | undefined;
}

interface Entry {
  readonly key: string;
  readonly places: Place[];
  opening: Promise<Place> | undefined;
  readonly waiting: Set<() => void>;
}

/** The sessions of the server by caller: opened once, shared, bounded, and closed when unused. */
export class UpstreamSessions {
  readonly #upstream: Upstream;
  readonly #settings: SessionSettings;
  readonly #limits: SessionLimits;
  readonly #entries = new Map<string, Entry>();
  readonly #life = new AbortController();
  #count = 0;

  constructor(upstream: Upstream, limits: SessionLimits, settings: SessionSettings) {
    this.#upstream = upstream;
    this.#limits = limits;
    this.#settings = settings;
  }

  /** Number of open sessions. */
  get size(): number {
    return this.#count;
  }

  /**
   * A session under a key, opened for `caller` when there is none. `alone`: on a connection with one channel, no other call that may be asked runs beside this
   * one, so that a question can only be its own.
   */
  async acquire(
    key: string,
    caller: UpstreamCaller,
    { alone = false, signal }: { alone?: boolean; signal?: AbortSignal | undefined } = {},
  ): Promise<Slot> {
    for (;;) {
      this.#life.signal.throwIfAborted();
      signal?.throwIfAborted();
      const entry = this.#entry(key);
      const first = entry.places[0] ?? (await within(this.#open(entry, caller), signal));
      if (!alone || first.session.hasStreams || first.session.family === 'per-request')
        return this.#take(entry, first, alone);
      const free = entry.places.find(({ asking }) => asking.size === 0);
      if (free) return this.#take(entry, free, true);
      const { concurrency, perCaller } = this.#limits;
      if (concurrency === 'own' && entry.places.length < perCaller) {
        const next = await within(this.#open(entry, caller), signal);
        if (next.asking.size === 0) return this.#take(entry, next, true);
        continue;
      }
      // A person may take minutes: the call goes on beside those that wait for one.
      const behindParked = entry.places.find(({ asking }) => [...asking].every(({ isParked }) => isParked));
      if (behindParked) return this.#take(entry, behindParked, true);
      await this.#turn(entry, signal);
    }
  }

  /** Takes a place for one more use. */
  #take(entry: Entry, place: Place, alone: boolean): Slot {
    clearTimeout(place.idle);
    const release = (isLast: boolean): void => {
      if (!place.slots.delete(slot)) return;
      place.asking.delete(slot);
      for (const wake of entry.waiting) wake();
      if (place.slots.size > 0 || !entry.places.includes(place)) return;
      if (isLast) void this.#retire(entry, place);
      else this.#rest(entry, place);
    };
    const slot: Slot = {
      session: place.session,
      isParked: false,
      share: () => this.#take(entry, place, false),
      release: () => release(false),
      end: () => release(true),
    };
    place.slots.add(slot);
    if (alone) place.asking.add(slot);
    return slot;
  }

  /** Closes all sessions, but for those in `left`, which another process goes on with. */
  async close(left: ReadonlySet<UpstreamSession> = new Set()): Promise<void> {
    this.#life.abort(new ProtocolError('internal', 'The bridge is closing.'));
    const places = [...this.#entries.values()].flatMap(({ places: all }) => all);
    for (const { idle } of places) clearTimeout(idle);
    await Promise.allSettled(places.map(({ session }) => (left.has(session) ? session.leave() : session.close())));
    await this.#upstream.close?.();
  }

  #entry(key: string): Entry {
    let entry = this.#entries.get(key);
    if (entry === undefined)
      this.#entries.set(key, (entry = { key, places: [], opening: undefined, waiting: new Set() }));
    return entry;
  }

  /** Opens one more session; requests that come meanwhile wait for the same one. */
  #open(entry: Entry, caller: UpstreamCaller): Promise<Place> {
    entry.opening ??= this.#openNow(entry, caller).finally(() => {
      entry.opening = undefined;
      if (entry.places.length === 0) this.#entries.delete(entry.key);
    });
    return entry.opening;
  }

  async #openNow(entry: Entry, caller: UpstreamCaller): Promise<Place> {
    if (this.#count >= this.#limits.atMost) this.#closeIdle();
    if (this.#count >= this.#limits.atMost)
      throw new ProtocolError(
        'rate-limited',
        `The bridge has ${this.#count} connections to the server, and opens no more.`,
      );
    this.#count += 1;
    if (this.#isCrowded) this.#closeIdle();
    try {
      const signal = this.#life.signal;
      const session = await UpstreamSession.open(this.#upstream, caller, { ...this.#settings, signal });
      const place: Place = { session, slots: new Set(), asking: new Set(), idle: undefined };
      if (session.ended.aborted || signal.aborted) {
        await session.close();
        throw new ProtocolError('internal', 'The connection to the server was closed at once.');
      }
      session.onended = () => this.#ended(entry, place);
      entry.places.push(place);
      this.#entries.set(entry.key, entry);
      this.#rest(entry, place);
      return place;
    } catch (error) {
      this.#count -= 1;
      throw error;
    }
  }

  /** A dead session is never given out again. */
  #ended(entry: Entry, place: Place): void {
    const index = entry.places.indexOf(place);
    if (index === -1) return;
    entry.places.splice(index, 1);
    this.#count -= 1;
    clearTimeout(place.idle);
    for (const wake of entry.waiting) wake();
    if (entry.places.length === 0 && entry.opening === undefined) this.#entries.delete(entry.key);
  }

  /** Whether a connection is waited for that there is no room for. */
  get #isCrowded(): boolean {
    return this.#count > (this.#upstream.atMost ?? Number.POSITIVE_INFINITY);
  }

  #rest(entry: Entry, place: Place): void {
    clearTimeout(place.idle);
    const idleMs = this.#isCrowded ? 0 : this.#limits.idleMs;
    place.idle = setTimeout(() => void this.#retire(entry, place), idleMs);
    place.idle.unref();
  }

  async #retire(entry: Entry, place: Place): Promise<void> {
    if (place.slots.size > 0) return;
    this.#ended(entry, place);
    await place.session.close().catch((error: Error) => this.#settings.onproblem(error));
  }

  #closeIdle(): void {
    for (const entry of this.#entries.values())
      for (const place of entry.places.slice()) if (place.slots.size === 0) void this.#retire(entry, place);
  }

  #turn(entry: Entry, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        entry.waiting.delete(wake);
        signal?.removeEventListener('abort', left);
      };
      const wake = (): void => {
        done();
        resolve();
      };
      const left = (): void => {
        done();
        reject(signal?.reason as Error);
      };
      entry.waiting.add(wake);
      signal?.addEventListener('abort', left, { once: true });
    });
  }
}

/** Waits for work that others wait for as well: leaving does not end it. */
function within<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const left = (): void => reject(signal.reason as Error);
    if (signal.aborted) left();
    signal.addEventListener('abort', left, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', left));
  });
}
