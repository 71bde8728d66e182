import { ProtocolError } from 'crosspoint/client';
import { RenewedSet } from '../values/renewed-set.ts';
import { UpstreamSession, type SessionSettings } from './upstream-session.ts';
import type { Upstream, UpstreamCaller } from './upstream.ts';

export interface SessionLimits {
  /** Most sessions of the server at a time. */
  readonly atMost: number;
  /** Most sessions of one caller, where calls that may be asked need one each. */
  readonly perCaller: number;
  /** Milliseconds that a session without a user stays open. */
  readonly idleMs: number;
  /** Whether calls that may be asked get a session each, or wait for each other; `undefined`: each gets one where streams do not tell who asks. */
  readonly concurrency: 'own' | 'wait' | undefined;
}

/** The use of a session, from `acquire` to `release`. */
export interface Slot {
  readonly session: UpstreamSession;
  /** Says that the call of this slot waits for a person: others need not wait for it. */
  isParked: boolean;
  /** One more use of the same session. */
  share(): Slot;
  /** Ends the use. The session stays open for a while, or for so many milliseconds if that is shorter. */
  release(forMs?: number): void;
  /** Releases the session, and closes it at once if nothing else uses it. */
  end(): void;
}

/** A request that may be given up. Its signal is made on first use, and a session that is open needs none. */
export interface Leaving {
  readonly aborted: boolean;
  readonly signal: AbortSignal;
}

interface Acquiring {
  readonly alone?: boolean;
  readonly leaving?: Leaving | undefined;
}

interface Place {
  readonly session: UpstreamSession;
  entry: Entry;
  readonly slots: RenewedSet<Slot>;
  /** Slots of calls that may be asked, one at a time on a connection with one channel. */
  readonly asking: RenewedSet<Slot>;
  /** Runs while the session may be unused, and is not stopped by each use of it. */
  timer: ReturnType<typeof setTimeout> | undefined;
  idleSince: number;
  /** When the session is closed, if it is not used before. */
  idleUntil: number;
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
  /** Open sessions of each authenticated user. */
  readonly #ofUser = new Map<string, number>();
  /** Sessions that are out of use and not closed yet: a process may take seconds to end. */
  readonly #closing = new Set<Promise<void>>();
  #count = 0;
  /** Whether the server has asked on its standing stream, which says nothing of the call. */
  #asksApart = false;

  constructor(upstream: Upstream, limits: SessionLimits, settings: SessionSettings) {
    this.#upstream = upstream;
    this.#limits = limits;
    this.#settings = settings;
  }

  /** Number of open sessions. */
  get size(): number {
    return this.#count;
  }

  /** A session under a key that can be used at once, as most are. */
  takeOpen(key: string, { alone = false, leaving }: Acquiring): Slot | undefined {
    const isOver = this.#life.signal.aborted || leaving?.aborted === true;
    const first = isOver ? undefined : this.#entries.get(key)?.places[0];
    return first !== undefined && (!alone || this.#tellsWhoAsks(first.session)) ? this.#take(first, alone) : undefined;
  }

  /**
   * A session under a key, opened for `caller` when there is none. `alone`: where a question would not say by its stream who asks, no other call that may be asked
   * runs beside this one, so that it can only be its own.
   */
  async acquire(key: string, caller: UpstreamCaller, { alone = false, leaving }: Acquiring = {}): Promise<Slot> {
    for (;;) {
      this.#life.signal.throwIfAborted();
      if (leaving?.aborted === true) leaving.signal.throwIfAborted();
      const entry = this.#entry(key);
      const first = entry.places[0] ?? (await within(this.#open(entry, caller), leaving?.signal));
      if (!alone || this.#tellsWhoAsks(first.session)) return this.#take(first, alone);
      const free = entry.places.find(({ asking }) => asking.size === 0);
      if (free) return this.#take(free, true);
      const { concurrency, perCaller } = this.#limits;
      if (concurrency !== 'wait' && entry.places.length < perCaller) {
        const next = await within(this.#open(entry, caller), leaving?.signal);
        if (next.asking.size === 0) return this.#take(next, true);
        continue;
      }
      // A person may take minutes: the call goes on beside those that wait for one.
      const behindParked = entry.places.find(({ asking }) => [...asking].every(({ isParked }) => isParked));
      if (behindParked) return this.#take(behindParked, true);
      await this.#turn(entry, leaving?.signal);
    }
  }

  /** Whether a question of the server says which call asks it. */
  #tellsWhoAsks({ family, hasStreams }: UpstreamSession): boolean {
    return family === 'per-request' || (hasStreams && !this.#asksApart && this.#limits.concurrency !== 'own');
  }

  /** Keeps the session of a slot under another key, for a server whose family was not known when it was opened. */
  move(slot: Slot, key: string): void {
    const place = [...this.#entries.values()].flatMap(({ places }) => places).find(({ slots }) => slots.has(slot));
    if (place === undefined || place.entry.key === key) return;
    const { entry: before } = place;
    before.places.splice(before.places.indexOf(place), 1);
    if (before.places.length === 0 && before.opening === undefined) this.#entries.delete(before.key);
    place.entry = this.#entry(key);
    place.entry.places.push(place);
    for (const wake of before.waiting) wake();
  }

  /** Takes a place for one more use. */
  #take(place: Place, alone: boolean): Slot {
    place.idleUntil = Number.POSITIVE_INFINITY;
    const release = (forMs: number): void => {
      if (!place.slots.delete(slot)) return;
      place.asking.delete(slot);
      for (const wake of place.entry.waiting) wake();
      if (place.slots.size === 0 && place.entry.places.includes(place)) this.#rest(place, forMs);
    };
    const slot: Slot = {
      session: place.session,
      isParked: false,
      share: () => this.#take(place, false),
      release: (forMs = this.#limits.idleMs) => release(forMs),
      end: () => release(0),
    };
    place.slots.add(slot);
    if (alone) place.asking.add(slot);
    return slot;
  }

  /** Closes all sessions, but for those in `left`, which another process goes on with. */
  async close(left: ReadonlySet<UpstreamSession> = new Set()): Promise<void> {
    this.#life.abort(new ProtocolError('internal', 'The bridge is closing.'));
    const places = [...this.#entries.values()].flatMap(({ places: all }) => all);
    for (const { timer } of places) clearTimeout(timer);
    await Promise.allSettled(places.map(({ session }) => (left.has(session) ? session.leave() : session.close())));
    await Promise.all(this.#closing);
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
    const { principal } = caller;
    if (this.#count >= this.#limits.atMost) this.#closeIdlest();
    else if (!this.#hasRoom(principal)) this.#closeIdlest(principal);
    if (!this.#hasRoom(principal))
      throw new ProtocolError(
        'rate-limited',
        `The bridge has ${this.#count} connections to the server, and opens no more for this caller.`,
      );
    this.#add(principal, 1);
    if (this.#isCrowded) this.#closeIdlest();
    try {
      const signal = this.#life.signal;
      const onapart = (): void => void (this.#asksApart = true);
      const session = await UpstreamSession.open(this.#upstream, caller, { ...this.#settings, signal, onapart });
      const [slots, asking] = [new RenewedSet<Slot>(), new RenewedSet<Slot>()];
      const place: Place = { session, entry, slots, asking, timer: undefined, idleSince: 0, idleUntil: 0 };
      if (session.ended.aborted || signal.aborted) {
        await session.close();
        throw new ProtocolError('internal', 'The connection to the server was closed at once.');
      }
      session.onended = () => this.#ended(place);
      entry.places.push(place);
      this.#entries.set(entry.key, entry);
      this.#rest(place, this.#limits.idleMs);
      return place;
    } catch (error) {
      this.#add(principal, -1);
      throw error;
    }
  }

  /** An authenticated user has at most half of all sessions, so that no user, under however many names of clients, takes them from all others. */
  #hasRoom(principal: string | undefined): boolean {
    const { atMost } = this.#limits;
    const own = principal === undefined ? 0 : (this.#ofUser.get(principal) ?? 0);
    return this.#count < atMost && own < Math.ceil(atMost / 2);
  }

  #add(principal: string | undefined, change: 1 | -1): void {
    this.#count += change;
    if (principal === undefined) return;
    const own = (this.#ofUser.get(principal) ?? 0) + change;
    if (own === 0) this.#ofUser.delete(principal);
    else this.#ofUser.set(principal, own);
  }

  /** A dead session is never given out again. */
  #ended(place: Place): void {
    const { entry } = place;
    const index = entry.places.indexOf(place);
    if (index === -1) return;
    entry.places.splice(index, 1);
    this.#add(place.session.caller.principal, -1);
    clearTimeout(place.timer);
    for (const wake of entry.waiting) wake();
    if (entry.places.length === 0 && entry.opening === undefined) this.#entries.delete(entry.key);
  }

  /** Whether a connection is waited for that there is no room for. */
  get #isCrowded(): boolean {
    return this.#count > (this.#upstream.atMost ?? Number.POSITIVE_INFINITY);
  }

  #rest(place: Place, forMs: number): void {
    const now = (place.idleSince = performance.now());
    if (this.#isCrowded || forMs === 0) return void this.#retire(place);
    const ms = Math.min(forMs, this.#limits.idleMs);
    place.idleUntil = now + ms;
    if (ms < this.#limits.idleMs) clearTimeout(place.timer);
    else if (place.timer !== undefined) return;
    this.#look(place, ms);
  }

  /** Looks after a while whether the session is still unused. */
  #look(place: Place, ms: number): void {
    place.timer = setTimeout(() => {
      const left = place.idleUntil - performance.now();
      place.timer = undefined;
      if (left <= 0) void this.#retire(place);
      else if (left < Number.POSITIVE_INFINITY) this.#look(place, left);
    }, ms);
    place.timer.unref();
  }

  async #retire(place: Place): Promise<void> {
    if (place.slots.size > 0) return;
    this.#ended(place);
    const closing = place.session.close().catch((error: Error) => this.#settings.onproblem(error));
    this.#closing.add(closing);
    await closing;
    this.#closing.delete(closing);
  }

  /** Makes room: closes the session, of a user or of anyone, that was not used for the longest time. */
  #closeIdlest(user?: string): void {
    const idle = [...this.#entries.values()].flatMap(({ places }) => places.filter(({ slots }) => slots.size === 0));
    const own = idle.filter(({ session }) => user === undefined || session.caller.principal === user);
    const [idlest] = own.toSorted((one, other) => one.idleSince - other.idleSince);
    if (idlest) void this.#retire(idlest);
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
