import type { Json, Store } from '../../stores/store.ts';
import { storedEvents } from '../../transports/http/event-store.ts';
import { StreamableSession, type StreamableSessionOptions } from '../../transports/http/streamable-session.ts';
import type { Ticking } from '../../transports/http/ticker.ts';
import type { EventStore } from '../../transports/http/event-store.ts';
import type { Connection } from '../connection.ts';
import type { ServerCore } from '../core.ts';
import { restoreSession, sessionRecord } from '../session.ts';

/** A session that lives in this process. */
export interface LiveSession {
  readonly id: string;
  readonly principal: string | undefined;
  readonly transport: StreamableSession;
  readonly connection: Connection;
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
  readonly resumable: boolean;
  readonly resumeMs: number;
  readonly generateId: () => string;
  readonly transport: Omit<StreamableSessionOptions, 'sessionId' | 'events' | 'onidle'>;
}

const MAX_EVENTS = 1000;
const VISIBLE_ASCII = /^[\x21-\x7e]{1,256}$/;

/** The handshake sessions of an endpoint: kept in the store, alive in memory while they are used, gone when they have been idle. */
export class Sessions implements Ticking {
  readonly #options: SessionsOptions;
  readonly #live = new Map<string, LiveSession>();
  #sweptAt: number;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#sweptAt = options.core.clock.now();
  }

  get size(): number {
    return this.#live.size;
  }

  /** Each session speaks for itself. */
  get isWorking(): boolean {
    return false;
  }

  /** A new session, or `undefined` when there are too many. It is not kept until `save` says that the handshake went well. */
  async create(principal: string | undefined): Promise<LiveSession | undefined> {
    if (this.#live.size >= this.#options.max) {
      this.#sweep();
      if (this.#live.size >= this.#options.max) return undefined;
    }
    const id = this.#options.generateId();
    if (!VISIBLE_ASCII.test(id)) throw new TypeError('A session id is of visible ASCII characters, 256 at most.');
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
    const now = this.#now();
    if (record !== session.saved) {
      session.saved = record;
      session.touchedAt = now;
      await store.put(keyOf(session.id), JSON.parse(record) as Json, { ttlMs: idleMs });
    } else if (now - session.touchedAt > idleMs / 4) {
      session.touchedAt = now;
      await store.touch(keyOf(session.id), idleMs);
    }
  }

  async end(session: LiveSession): Promise<void> {
    this.#live.delete(session.id);
    await this.#options.store.delete(keyOf(session.id));
    await session.connection.close();
  }

  /** Ends the connections of this process; what is in the store stays for others. */
  async close(): Promise<void> {
    const all = [...this.#live.values()];
    this.#live.clear();
    this.#options.transport.ticker.delete(this);
    await Promise.all(all.map((session) => session.connection.close()));
  }

  tick(now: number): void {
    if (now - this.#sweptAt >= this.#options.idleMs / 10) this.#sweep();
  }

  #sweep(): void {
    const now = this.#now();
    this.#sweptAt = now;
    for (const session of this.#live.values()) {
      if (session.transport.isActive) session.lastSeen = now;
      else if (now - session.lastSeen >= this.#options.idleMs) void this.end(session).catch((error: unknown) => this.#options.core.onproblem(error instanceof Error ? error : new Error(String(error))));
    }
    if (this.#live.size === 0) this.#options.transport.ticker.delete(this);
  }

  async #restore(id: string): Promise<LiveSession | undefined> {
    if (!VISIBLE_ASCII.test(id)) return undefined;
    const stored = await this.#options.store.get(keyOf(id));
    const restored = stored && restoreSession(this.#options.core, stored.value);
    // Another request for the same session may have restored it meanwhile.
    if (!restored || this.#live.has(id)) return this.#live.get(id);
    const live = await this.#open(id, restored.principal, restored.session);
    live.saved = JSON.stringify(stored.value);
    live.transport.setProtocolVersion(restored.session.revision.id);
    return live;
  }

  async #open(id: string, principal: string | undefined, session: Connection['session']): Promise<LiveSession> {
    const { core, store, eventStore, resumable, resumeMs, transport: rest } = this.#options;
    const events = resumable ? (eventStore ?? storedEvents(store, id, { ttlMs: resumeMs, maxEvents: MAX_EVENTS })) : undefined;
    const transport = new StreamableSession({ ...rest, sessionId: id, events });
    const connection = await core.open(transport, session);
    const now = this.#now();
    const live: LiveSession = { id, principal, transport, connection, lastSeen: now, saved: '', touchedAt: now };
    this.#live.set(id, live);
    rest.ticker.add(this);
    return live;
  }

  #now(): number {
    return this.#options.core.clock.now();
  }
}

function keyOf(id: string): string {
  return `session:${id}`;
}
