import { asError } from '../../../runtime/guard.ts';
import type { Store } from '../../../stores/store.ts';
import type { Holding, Keeper } from '../../../stores/shares.ts';
import type { EventStore } from '../../../transports/http/server/sessions/event-store.ts';
import { givenEvents, type SessionEvents } from '../../../transports/http/server/sessions/session-events.ts';
import { MemoryEvents, type MemoryEventsSetup } from '../../../transports/http/server/sessions/memory-events.ts';
import { StreamableSession } from '../../../transports/http/server/sessions/streamable-session.ts';
import type { StreamableShared } from '../../../transports/http/server/sessions/streamable-session-options.ts';
import type { Ticking } from '../../../transports/http/server/sessions/ticker.ts';
import { holdHeavy } from '../../callers/open-bytes.ts';
import type { Connection } from '../../session/connection.ts';
import type { ServerCore } from '../../core.ts';
import type { Nodes } from '../nodes/nodes.ts';
import {
  forgetHere,
  isInUse,
  newLive,
  nothingKept,
  ownerOf,
  type KeptState,
  type LiveSession,
  type SessionCaller,
} from './live-session.ts';
import type { SessionsHere, StoredSessions } from './stored-sessions.ts';
import { servingOf } from '../../stored/serving.ts';
import { Slots } from './slots.ts';
import { newSessionId } from './session-id.ts';

export interface SessionsOptions {
  readonly core: ServerCore;
  /** The store of sessions, for other nodes and later processes; `undefined` where they live in this process alone. */
  readonly store: Store | undefined;
  readonly eventStore: EventStore | undefined;
  readonly idleMs: number;
  readonly max: number;
  /** How events are stored; `undefined` when streams cannot be resumed. */
  readonly events: MemoryEventsSetup | undefined;
  readonly generateId: () => string;
  readonly transport: StreamableShared;
  /** The nodes that share the store; `undefined` where this process is alone. */
  readonly nodes: Nodes | undefined;
}

/** Least milliseconds between two searches for idle sessions while all slots are taken. */
const FULL_SWEEP_MS = 1000;

/** The record of sessions where there is no store. */
const NOWHERE: KeptState = Object.freeze(nothingKept(0));

/** The handshake sessions of an endpoint: in memory while they are used, in the store where there is one, removed when they have been idle. */
export class Sessions implements Ticking, Keeper, SessionsHere {
  readonly #options: SessionsOptions;
  readonly #stored: StoredSessions | undefined;
  readonly #shared: StreamableShared;
  readonly live: Map<string, LiveSession> = new Map();
  readonly #slots: Slots;
  /** Number of sessions that are being opened and count already. */
  #opening = 0;
  #sweptAt: number;

  constructor(options: SessionsOptions) {
    const { core, store, idleMs, nodes, max } = options;
    this.#options = options;
    this.#slots = new Slots(max);
    this.#stored = store && servingOf(store).sessions(this, { core, store, idleMs, max, nodes });
    // A session ends with its transport, for example after a heartbeat without an answer.
    const onclosed = (id: string | undefined): void => {
      const live = this.live.get(id ?? '');
      if (live) this.inBackground(this.end(live));
    };
    this.#shared = { ...options.transport, onclosed };
    this.#sweptAt = core.clock.now();
  }

  get size(): number {
    return this.live.size;
  }

  get nodes(): Nodes | undefined {
    return this.#options.nodes;
  }

  /**
   * Opens a session; `undefined` when there are too many. It is stored only by `admit` after a successful handshake. When all slots are taken and another
   * caller has more of them, that caller's least recently used session ends instead.
   */
  async create(caller: SessionCaller): Promise<LiveSession | undefined> {
    const id = newSessionId(this.#options.generateId, 'generateId');
    if (this.live.has(id)) throw new TypeError('The generator of session ids made one that is in use.');
    return this.open(id, { owner: ownerOf(caller), principal: caller.principal ?? undefined }, undefined);
  }

  /** Stores a session that was just opened. False when it is one too many on all nodes together; it has then ended. Synchronous without a store. */
  admit(session: LiveSession): boolean | Promise<boolean> {
    const saving = this.save(session);
    return saving === undefined ? true : saving.then(() => this.#stored?.hasRoom(session) ?? true);
  }

  /** Finds a caller's session by its id. A session of another caller is treated as unknown. */
  find(id: string, caller: SessionCaller): LiveSession | undefined | Promise<LiveSession | undefined> {
    const live = this.#stored ? this.#stored.find(id, caller) : this.live.get(id);
    return live instanceof Promise ? live.then((found) => this.#seen(found, caller)) : this.#seen(live, caller);
  }

  /** Stores changes, or prolongs the record of an unchanged session. */
  save(session: LiveSession): Promise<void> | undefined {
    const { session: opened } = session.connection;
    if (opened === undefined) return this.end(session);
    this.#weigh(session, opened.heldBytes);
    return this.#stored?.save(session, opened);
  }

  /** Ends a session everywhere. */
  async end(session: LiveSession): Promise<void> {
    this.#remove(session);
    if (session.kept.text !== '') await this.#stored?.ended(session);
    await session.connection.close();
    await session.events?.forget();
  }

  /** Closes the standing streams, so that their clients reconnect to other nodes; open requests go on. */
  pause(): void {
    for (const { transport } of this.live.values()) transport.closeStandaloneSSEStream();
  }

  /** Ends the connections of this process; records in the store stay for other nodes. */
  async close(): Promise<void> {
    const all = [...this.live.values()];
    for (const session of all) this.#remove(session);
    this.#options.transport.ticker.delete(this);
    await Promise.all(all.map((session) => session.connection.close()));
    all.forEach(forgetHere);
    await this.#stored?.close();
  }

  tick(now: number): void {
    if (now - this.#sweptAt >= this.#options.idleMs / 10) this.#sweep();
    this.#stored?.tick(now);
  }

  // ---- Keeper

  /** Ends a session whose slot is needed for a caller with fewer. */
  shed(holding: Holding): void {
    this.inBackground(this.end(holding as LiveSession));
  }

  // ---- SessionsHere

  /** Removes a session from this process: it ended on another node, or was idle here. A node that still uses it prolongs its record; otherwise the record expires. */
  async endHere(id: unknown): Promise<void> {
    const session = this.live.get(String(id));
    if (!session) return;
    this.#remove(session);
    await session.connection.close();
    forgetHere(session);
  }

  async open(
    id: string,
    { owner, principal }: { owner: string; principal: string | undefined },
    session: Connection['session'],
  ): Promise<LiveSession | undefined> {
    const { core, max, nodes } = this.#options;
    // Searching all sessions for idle ones costs time: a flood of handshakes must not cause it for each.
    if (this.live.size + this.#opening >= max && this.#now() - this.#sweptAt >= FULL_SWEEP_MS) this.#sweep();
    if (!this.#slots.hasRoom(owner, this.#opening)) return undefined;
    this.#opening += 1;
    try {
      if (this.#stored) await this.#stored.ready();
      const events = this.#eventsOf(id, owner);
      const among = this.#stored?.among(id);
      const transport = new StreamableSession(this.#shared, { sessionId: id, events, nodes: among });
      const connection = await core.open(transport, session);
      const now = this.#now();
      const kept = this.#stored ? nothingKept(now) : NOWHERE;
      const live = newLive(this, { id, principal, transport, connection, events, kept, lastSeen: now });
      if (nodes) connection.keep = async () => this.save(live);
      this.live.set(id, live);
      this.#slots.take(owner, live);
      this.#shared.ticker.add(this);
      return live;
    } finally {
      this.#opening -= 1;
    }
  }

  takeFromMost(caller: string): boolean {
    return this.#slots.takeFromMost(caller);
  }

  inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#options.core.onproblem(asError(error)));
  }

  // ---- inside

  #sweep(): void {
    const now = this.#now();
    this.#sweptAt = now;
    for (const session of this.live.values()) {
      session.events?.expire?.(now);
      const isUsed = isInUse(session);
      if (isUsed) this.#use(session, now);
      if (now - session.lastSeen >= this.#options.idleMs) this.inBackground(this.endHere(session.id));
      else if (isUsed && this.#stored) this.inBackground(this.#stored.prolong(session));
    }
    if (this.live.size === 0) this.#options.transport.ticker.delete(this);
  }

  #remove(session: LiveSession): void {
    this.live.delete(session.id);
    this.#slots.release(session);
    if (session.heavy) this.#options.core.leftBehind.release(session.heavy);
  }

  /** Counts the bytes of a session with many. When callers hold too much, a session of the caller with the most ends. */
  #weigh(session: LiveSession, bytes: number): void {
    const { leftBehind } = this.#options.core;
    if (session.heavy) return bytes === session.heavy.size ? undefined : leftBehind.write(session.heavy, bytes);
    if (session.share === undefined) return;
    session.heavy = holdHeavy(leftBehind, session.share.caller, bytes, () => this.shed(session));
  }

  #use(session: LiveSession, now: number): void {
    session.lastSeen = now;
    this.#slots.use(session);
  }

  #seen(live: LiveSession | undefined, { principal }: SessionCaller): LiveSession | undefined {
    if (live === undefined || live.principal !== (principal ?? undefined)) return undefined;
    this.#use(live, this.#now());
    return live;
  }

  #eventsOf(id: string, leftBy: string): SessionEvents | undefined {
    const { eventStore, events } = this.#options;
    if (events === undefined) return undefined;
    if (eventStore) return givenEvents(eventStore, id);
    if (!this.#stored) return new MemoryEvents(events, leftBy);
    const { ttlMs, maxEvents, maxBytes } = events;
    return this.#stored.events(id, { ttlMs, maxEvents, maxBytes, leftBy });
  }

  #now(): number {
    return this.#options.core.clock.now();
  }
}
