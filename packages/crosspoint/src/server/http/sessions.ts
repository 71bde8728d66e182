import type { Json, Store } from '../../stores/store.ts';
import type { EventStore } from '../../transports/http/event-store.ts';
import {
  givenEvents,
  storedEvents,
  type SessionEvents,
  type StoredEventsOptions,
} from '../../transports/http/session-events.ts';
import { StreamableSession } from '../../transports/http/streamable-session.ts';
import type { StreamableSessionOptions } from '../../transports/http/streamable-session-options.ts';
import type { Ticking } from '../../transports/http/ticker.ts';
import type { Connection } from '../connection.ts';
import type { ServerCore } from '../core.ts';
import { restoreSession, sessionRecord } from '../session.ts';

/** A session that lives in this process. */
export interface LiveSession {
  readonly id: string;
  readonly principal: string | undefined;
  readonly transport: StreamableSession;
  readonly connection: Connection;
  readonly events: SessionEvents | undefined;
  lastSeen: number;
  /** The text last written to the store, and when its life was last prolonged. */
  saved: string;
  touchedAt: number;
}

export interface SessionsOptions {
  readonly core: ServerCore;
  readonly store: Store;
  readonly eventStore: EventStore | undefined;
  readonly idleMs: number;
  readonly max: number;
  /** How events are kept; `undefined` when streams cannot be resumed. */
  readonly events: StoredEventsOptions | undefined;
  readonly generateId: () => string;
  readonly transport: Omit<StreamableSessionOptions, 'sessionId' | 'events' | 'onidle'>;
}

const VISIBLE_ASCII = /^[\x21-\x7e]{1,256}$/;
/** Lives are prolonged now and then, not with every request; so what is kept outlives what is in use by as much. */
const KEPT_LONGER = 1.25;
/** Where it is said that a session has ended, so that no process goes on with it. */
const ENDED = 'sessions:ended';

/** The handshake sessions of an endpoint: kept in the store, alive in memory while they are used, gone when they have been idle. */
export class Sessions implements Ticking {
  readonly #options: SessionsOptions;
  readonly #live = new Map<string, LiveSession>();
  readonly #restoring = new Map<string, Promise<LiveSession | undefined>>();
  /** Sessions that are being made and count already. */
  #opening = 0;
  #subscription: Promise<() => Promise<void>> | undefined;
  #sweptAt: number;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#sweptAt = options.core.clock.now();
  }

  get size(): number {
    return this.#live.size;
  }

  /** A new session, or `undefined` when there are too many. It is not kept until `save` says that the handshake went well. */
  async create(principal: string | undefined): Promise<LiveSession | undefined> {
    const id = this.#options.generateId();
    if (!VISIBLE_ASCII.test(id)) throw new TypeError('A session id is of visible ASCII characters, 256 at most.');
    if (this.#live.has(id)) throw new TypeError('The generator of session ids made one that is in use.');
    return this.#open(id, principal, undefined);
  }

  /** The session of this id that belongs to this caller. One of another caller is as unknown as one that never was. */
  async find(id: string, principal: string | undefined): Promise<LiveSession | undefined> {
    const live = this.#live.get(id) ?? (await this.#restore(id));
    if (live === undefined || live.principal !== principal) return undefined;
    live.lastSeen = this.#now();
    return live;
  }

  /** Writes down what has changed, and prolongs the life of what has not. */
  async save(session: LiveSession): Promise<void> {
    const { store, idleMs } = this.#options;
    const { session: opened } = session.connection;
    if (opened === undefined) return this.end(session);
    const record = JSON.stringify(sessionRecord(opened, session.principal));
    if (record === session.saved) return this.#prolong(session);
    session.saved = record;
    session.touchedAt = this.#now();
    await store.put(keyOf(session.id), JSON.parse(record) as Json, { ttlMs: idleMs * KEPT_LONGER });
  }

  /** Ends a session everywhere. */
  async end(session: LiveSession): Promise<void> {
    const { store } = this.#options;
    this.#live.delete(session.id);
    if (session.saved !== '') {
      await store.delete(keyOf(session.id));
      await store.publish(ENDED, session.id);
    }
    await session.connection.close();
    await session.events?.forget();
  }

  /** Lets the clients go on elsewhere with what they listen to, and leaves them what they wait for. */
  pause(): void {
    for (const { transport } of this.#live.values()) transport.closeStandaloneSSEStream();
  }

  /** Ends the connections of this process; what is in the store stays for others. */
  async close(): Promise<void> {
    const all = [...this.#live.values()];
    this.#live.clear();
    this.#options.transport.ticker.delete(this);
    await Promise.all(all.map((session) => session.connection.close()));
    await (
      await this.#subscription
    )?.();
  }

  tick(now: number): void {
    if (now - this.#sweptAt >= this.#options.idleMs / 10) this.#sweep();
  }

  #sweep(): void {
    const now = this.#now();
    this.#sweptAt = now;
    for (const session of this.#live.values()) {
      if (session.transport.isActive) session.lastSeen = now;
      if (now - session.lastSeen >= this.#options.idleMs) this.#inBackground(this.#endHere(session.id));
      else if (session.transport.isActive) this.#inBackground(this.#prolong(session));
    }
    if (this.#live.size === 0) this.#options.transport.ticker.delete(this);
  }

  async #prolong(session: LiveSession): Promise<void> {
    const { store, idleMs } = this.#options;
    const now = this.#now();
    if (session.saved === '' || now - session.touchedAt < idleMs / 4) return;
    session.touchedAt = now;
    if (!(await store.touch(keyOf(session.id), idleMs * KEPT_LONGER))) await this.#endHere(session.id);
  }

  /** It ended elsewhere, or nobody has used it here: then whoever uses it elsewhere prolongs its life in the store, where it ends by itself. */
  async #endHere(id: unknown): Promise<void> {
    const session = this.#live.get(String(id));
    if (!session) return;
    this.#live.delete(session.id);
    await session.connection.close();
  }

  /** Requests that come at once for a session that is not alive here share one restoration. */
  #restore(id: string): Promise<LiveSession | undefined> {
    const restoring = this.#restoring.get(id) ?? this.#read(id).finally(() => this.#restoring.delete(id));
    this.#restoring.set(id, restoring);
    return restoring;
  }

  async #read(id: string): Promise<LiveSession | undefined> {
    if (!VISIBLE_ASCII.test(id)) return undefined;
    const stored = await this.#options.store.get(keyOf(id));
    const restored = stored && restoreSession(this.#options.core, stored.value);
    if (!restored) return undefined;
    const live = await this.#open(id, restored.principal, restored.session);
    if (!live) return undefined;
    live.saved = JSON.stringify(stored.value);
    // Its life was last prolonged elsewhere, nobody here knows when.
    live.touchedAt = Number.NEGATIVE_INFINITY;
    live.transport.setProtocolVersion(restored.session.revision.id);
    return live;
  }

  async #open(
    id: string,
    principal: string | undefined,
    session: Connection['session'],
  ): Promise<LiveSession | undefined> {
    const { core, store, eventStore, events: kept, transport: rest, max } = this.#options;
    if (this.#live.size + this.#opening >= max) this.#sweep();
    if (this.#live.size + this.#opening >= max) return undefined;
    this.#opening += 1;
    try {
      await this.#subscribe();
      const events = kept && (eventStore ? givenEvents(eventStore, id) : storedEvents(store, id, kept));
      const transport = new StreamableSession({ ...rest, sessionId: id, events });
      const connection = await core.open(transport, session);
      const now = this.#now();
      const live: LiveSession = {
        id,
        principal,
        transport,
        connection,
        events,
        lastSeen: now,
        saved: '',
        touchedAt: now,
      };
      // Whoever ends the transport, such as a heartbeat that nobody answered, ends the session.
      const { onclose } = transport;
      transport.onclose = () => {
        onclose?.();
        if (this.#live.get(id) === live) this.#inBackground(this.end(live));
      };
      this.#live.set(id, live);
      rest.ticker.add(this);
      return live;
    } finally {
      this.#opening -= 1;
    }
  }

  async #subscribe(): Promise<void> {
    this.#subscription ??= this.#options.store.subscribe(ENDED, (ended) => this.#inBackground(this.#endHere(ended)));
    try {
      await this.#subscription;
    } catch (error) {
      this.#subscription = undefined;
      throw error;
    }
  }

  #inBackground(work: Promise<void>): void {
    work.catch((error: unknown) =>
      this.#options.core.onproblem(error instanceof Error ? error : new Error(String(error))),
    );
  }

  #now(): number {
    return this.#options.core.clock.now();
  }
}

function keyOf(id: string): string {
  return `session:${id}`;
}
