import type { JSONRPCMessage } from '../../../jsonrpc/message.ts';
import { asError } from '../../../runtime/guard.ts';
import type { Store } from '../../../stores/store.ts';
import type { Holding, Keeper } from '../../../stores/shares.ts';
import type { EventStore } from '../../../transports/http/server/sessions/event-store.ts';
import { givenEvents, type SessionEvents } from '../../../transports/http/server/sessions/session-events.ts';
import { MemoryEvents, type MemoryEventsSetup } from '../../../transports/http/server/sessions/memory-events.ts';
import { StreamableSession } from '../../../transports/http/server/sessions/streamable-session.ts';
import type {
  SessionNodes,
  StreamableShared,
} from '../../../transports/http/server/sessions/streamable-session-options.ts';
import type { Ticking } from '../../../transports/http/server/sessions/ticker.ts';
import { holdHeavy } from '../../callers/open-bytes.ts';
import type { Connection } from '../../session/connection.ts';
import type { ServerCore } from '../../core.ts';
import type { Change } from '../../changes/listening.ts';
import type { Session } from '../../session/session.ts';
import type { Nodes, NodesSide, Signal } from '../nodes/nodes.ts';
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
import type { SessionRecords } from './session-records.ts';
import { servingOf } from '../../stored/serving.ts';
import { Slots } from './slots.ts';
import { isSessionId, newSessionId } from './session-id.ts';

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

/** The channel that announces ended sessions, so that no process serves them any more. */
const ENDED = 'sessions:ended';
/** Milliseconds between two reads of the records of sessions whose standing streams are read here, in case a message was lost. */
const LOOK_MS = 30_000;
/** Least milliseconds between two searches for idle sessions while all slots are taken. */
const FULL_SWEEP_MS = 1000;

/** The record of sessions where there is no store. */
const NOWHERE: KeptState = Object.freeze(nothingKept(0));

/** The handshake sessions of an endpoint: in memory while they are used, in the store where there is one, removed when they have been idle. */
export class Sessions implements Ticking, NodesSide, Keeper {
  readonly #options: SessionsOptions;
  readonly #records: SessionRecords | undefined;
  readonly #shared: StreamableShared;
  readonly #live = new Map<string, LiveSession>();
  readonly #slots: Slots;
  readonly #restoring = new Map<string, Promise<LiveSession | undefined>>();
  /** Number of sessions that are being opened and count already. */
  #opening = 0;
  #subscription: Promise<() => Promise<void>> | undefined;
  #sweptAt: number;
  #lookedAt: number;

  constructor(options: SessionsOptions) {
    const { core, store, idleMs, nodes, max } = options;
    this.#options = options;
    this.#slots = new Slots(max);
    this.#records = store && servingOf(store).sessionRecords(core, store, idleMs);
    // A session ends with its transport, for example after a heartbeat without an answer.
    const onclosed = (id: string | undefined): void => {
      const live = this.#live.get(id ?? '');
      if (live) this.#inBackground(this.end(live));
    };
    this.#shared = { ...options.transport, onclosed };
    this.#sweptAt = this.#lookedAt = core.clock.now();
    if (nodes) nodes.side = this;
  }

  get size(): number {
    return this.#live.size;
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
    if (this.#live.has(id)) throw new TypeError('The generator of session ids made one that is in use.');
    return this.#open(id, { owner: ownerOf(caller), principal: caller.principal ?? undefined }, undefined);
  }

  /** Stores a session that was just opened. False when it is one too many on all nodes together; it has then ended. Synchronous without a store. */
  admit(session: LiveSession): boolean | Promise<boolean> {
    const saving = this.save(session);
    return saving === undefined ? true : saving.then(() => this.#hasRoom(session));
  }

  async #hasRoom(session: LiveSession): Promise<boolean> {
    const { nodes, max } = this.#options;
    if (!nodes || !this.#records || (await this.#records.count()) <= max) return true;
    // The caller's sessions on other nodes are not known here; those on this node decide.
    if (session.share && this.#slots.takeFromMost(session.share.caller)) return true;
    await this.end(session);
    return false;
  }

  /** Finds a caller's session by its id. A session of another caller is treated as unknown. */
  find(id: string, caller: SessionCaller): LiveSession | undefined | Promise<LiveSession | undefined> {
    const known = this.#live.get(id);
    const live = known === undefined ? this.#restore(id, caller) : this.nodes ? this.#refresh(known) : known;
    return live instanceof Promise ? live.then((found) => this.#seen(found, caller)) : this.#seen(live, caller);
  }

  /** Stores changes, or prolongs the record of an unchanged session. */
  save(session: LiveSession): Promise<void> | undefined {
    const { session: opened } = session.connection;
    if (opened === undefined) return this.end(session);
    this.#weigh(session, opened.heldBytes);
    return this.#records && this.#write(this.#records, session, opened);
  }

  async #write(records: SessionRecords, session: LiveSession, opened: Session): Promise<void> {
    const { id, principal, kept } = session;
    const done = await records.save(id, opened, principal, kept);
    if (done === 'gone') return this.#endHere(id);
    if (done === 'same') return this.#prolong(session);
    await this.nodes?.signal({ kind: 'changed', session: id });
  }

  /** Ends a session everywhere. */
  async end(session: LiveSession): Promise<void> {
    this.#remove(session);
    if (session.kept.text !== '') {
      await this.#records?.delete(session.id);
      await this.#options.store?.publish(ENDED, session.id);
    }
    await session.connection.close();
    await session.events?.forget();
  }

  /** Closes the standing streams, so that their clients reconnect to other nodes; open requests go on. */
  pause(): void {
    for (const { transport } of this.#live.values()) transport.closeStandaloneSSEStream();
  }

  /** Ends the connections of this process; records in the store stay for other nodes. */
  async close(): Promise<void> {
    const all = [...this.#live.values()];
    for (const session of all) this.#remove(session);
    this.#options.transport.ticker.delete(this);
    await Promise.all(all.map((session) => session.connection.close()));
    all.forEach(forgetHere);
    await (
      await this.#subscription
    )?.();
  }

  tick(now: number): void {
    if (now - this.#sweptAt >= this.#options.idleMs / 10) this.#sweep();
    if (this.nodes === undefined || now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    for (const session of this.#live.values())
      if (session.transport.isStandingOpen) this.#inBackground(this.#refresh(session));
  }

  // ---- Keeper

  /** Ends a session whose slot is needed for a caller with fewer. */
  shed(holding: Holding): void {
    this.#inBackground(this.end(holding as LiveSession));
  }

  // ---- NodesSide

  onmail(id: string, messages: readonly JSONRPCMessage[]): void {
    const transport = this.#live.get(id)?.transport;
    for (const message of messages) transport?.receive(message);
  }

  onsignal(signal: Signal): void {
    const session = this.#live.get(signal.session);
    if (session === undefined) return;
    if (signal.kind === 'changed') this.#inBackground(this.#refresh(session));
    else for (const message of signal.messages) session.transport.receive(message);
  }

  /**
   * Announces a change to the sessions whose standing streams are read here. Other nodes announce it to theirs; a session without a reader gets it when its
   * stream is read again.
   */
  onchange(change: Change): void {
    for (const { transport, connection } of this.#live.values())
      if (transport.isStandingOpen) connection.sendChange(change);
  }

  // ---- inside

  #sweep(): void {
    const now = this.#now();
    this.#sweptAt = now;
    for (const session of this.#live.values()) {
      session.events?.expire?.(now);
      const isUsed = isInUse(session);
      if (isUsed) this.#use(session, now);
      if (now - session.lastSeen >= this.#options.idleMs) this.#inBackground(this.#endHere(session.id));
      else if (isUsed) this.#inBackground(this.#prolong(session));
    }
    if (this.#live.size === 0) this.#options.transport.ticker.delete(this);
  }

  async #prolong(session: LiveSession): Promise<void> {
    if ((await this.#records?.prolong(session.id, session.kept)) === false) await this.#endHere(session.id);
  }

  /** Removes a session from this process: it ended on another node, or was idle here. A node that still uses it prolongs its record; otherwise the record expires. */
  async #endHere(id: unknown): Promise<void> {
    const session = this.#live.get(String(id));
    if (!session) return;
    this.#remove(session);
    await session.connection.close();
    forgetHere(session);
  }

  #remove(session: LiveSession): void {
    this.#live.delete(session.id);
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

  /** The session with the changes of all nodes; `undefined` when it has ended. */
  async #refresh(live: LiveSession): Promise<LiveSession | undefined> {
    const { id, principal, connection, kept } = live;
    // A session that is being opened is not in the store yet.
    if (kept.text === '' || !this.#records) return live;
    const stored = await this.#records.get(id);
    if (stored === undefined) {
      await this.#endHere(id);
      return undefined;
    }
    if (connection.session) this.#records.refresh(connection.session, principal, kept, stored);
    return live;
  }

  #seen(live: LiveSession | undefined, { principal }: SessionCaller): LiveSession | undefined {
    if (live === undefined || live.principal !== (principal ?? undefined)) return undefined;
    this.#use(live, this.#now());
    return live;
  }

  /** Restores a session from the store. Concurrent requests for one session share the restoration. */
  #restore(id: string, caller: SessionCaller): Promise<LiveSession | undefined> | undefined {
    if (!this.#records) return undefined;
    const restoring =
      this.#restoring.get(id) ??
      this.#read(this.#records, id, ownerOf(caller)).finally(() => this.#restoring.delete(id));
    this.#restoring.set(id, restoring);
    return restoring;
  }

  async #read(records: SessionRecords, id: string, owner: string): Promise<LiveSession | undefined> {
    if (!isSessionId(id)) return undefined;
    const stored = await records.get(id);
    const restored = stored && records.restore(stored);
    if (!restored) return undefined;
    const live = await this.#open(id, { owner, principal: restored.principal }, restored.session);
    if (!live) return undefined;
    Object.assign(live.kept, restored.kept);
    live.transport.setProtocolVersion(restored.session.revision.id);
    return live;
  }

  async #open(
    id: string,
    { owner, principal }: { owner: string; principal: string | undefined },
    session: Connection['session'],
  ): Promise<LiveSession | undefined> {
    const { core, max, nodes } = this.#options;
    // Searching all sessions for idle ones costs time: a flood of handshakes must not cause it for each.
    if (this.#live.size + this.#opening >= max && this.#now() - this.#sweptAt >= FULL_SWEEP_MS) this.#sweep();
    if (!this.#slots.hasRoom(owner, this.#opening)) return undefined;
    this.#opening += 1;
    try {
      if (nodes) await nodes.ready();
      if (this.#options.store) await this.#subscribe(this.#options.store);
      const events = this.#eventsOf(id, owner);
      const among = nodes && this.#among(nodes, id);
      const transport = new StreamableSession(this.#shared, { sessionId: id, events, nodes: among });
      const connection = await core.open(transport, session);
      const now = this.#now();
      const kept = this.#records ? nothingKept(now) : NOWHERE;
      const live = newLive(this, { id, principal, transport, connection, events, kept, lastSeen: now });
      if (nodes) connection.keep = async () => this.save(live);
      this.#live.set(id, live);
      this.#slots.take(owner, live);
      this.#shared.ticker.add(this);
      return live;
    } finally {
      this.#opening -= 1;
    }
  }

  #eventsOf(id: string, leftBy: string): SessionEvents | undefined {
    const { store, eventStore, events, nodes } = this.#options;
    if (events === undefined) return undefined;
    if (eventStore) return givenEvents(eventStore, id);
    if (!store) return new MemoryEvents(events, leftBy);
    const { ttlMs, maxEvents, maxBytes } = events;
    return servingOf(store).sessionEvents(store, id, { ttlMs, maxEvents, maxBytes, leftBy }, nodes !== undefined);
  }

  #among(nodes: Nodes, session: string): SessionNodes {
    return {
      id: nodes.id,
      requestId: (number) => nodes.requestId(session, number),
      isAlive: (node) => nodes.isAlive(node),
      mark: () => nodes.position,
      onstanding: (last) => {
        const { position } = nodes;
        if (last !== undefined && position !== undefined) this.#inBackground(this.#catchUp(session, last, position));
        return position;
      },
    };
  }

  /** Announces to a session the changes that were made while its standing stream had no reader. */
  async #catchUp(session: string, after: string, upTo: string): Promise<void> {
    for (const change of (await this.nodes?.changesBetween(after, upTo)) ?? [])
      this.#live.get(session)?.connection.sendChange(change);
  }

  async #subscribe(store: Store): Promise<void> {
    this.#subscription ??= store.subscribe(ENDED, (ended) => this.#inBackground(this.#endHere(ended)));
    try {
      await this.#subscription;
    } catch (error) {
      this.#subscription = undefined;
      throw error;
    }
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#options.core.onproblem(asError(error)));
  }

  #now(): number {
    return this.#options.core.clock.now();
  }
}
