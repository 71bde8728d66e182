import type { JSONRPCMessage } from '../../../jsonrpc/message.ts';
import type { Store } from '../../../stores/store.ts';
import type { SessionEvents, StoredEventsOptions } from '../../../transports/http/server/sessions/session-events.ts';
import { sharedEvents } from '../../../transports/http/server/sessions/shared-events.ts';
import { storedEvents } from '../../../transports/http/server/sessions/stored-events.ts';
import type { SessionNodes } from '../../../transports/http/server/sessions/streamable-session-options.ts';
import type { Change } from '../../changes/listening.ts';
import type { ServerCore } from '../../core.ts';
import type { Session } from '../../session/session.ts';
import type { Nodes, NodesSide, Signal } from '../nodes/nodes.ts';
import { ownerOf, type LiveSession, type SessionCaller } from './live-session.ts';
import { isSessionId } from './session-id.ts';
import { SessionRecords } from './session-records.ts';

/** The sessions that live in this process, as their store uses them. */
export interface SessionsHere {
  readonly live: ReadonlyMap<string, LiveSession>;
  open(
    id: string,
    caller: { readonly owner: string; readonly principal: string | undefined },
    session: Session | undefined,
  ): Promise<LiveSession | undefined>;
  /** Ends a session everywhere. */
  end(session: LiveSession): Promise<void>;
  /** Removes a session from this process: it ended on another node, or was idle here. */
  endHere(id: unknown): Promise<void>;
  /** Takes a slot away from the caller with the most; false when this caller has about as many. */
  takeFromMost(caller: string): boolean;
  inBackground(work: Promise<unknown>): void;
}

export interface StoredSessionsOptions {
  readonly core: ServerCore;
  readonly store: Store;
  readonly idleMs: number;
  readonly max: number;
  /** The nodes that share the store; `undefined` where this process is alone. */
  readonly nodes: Nodes | undefined;
}

/** The channel that announces ended sessions, so that no process serves them any more. */
const ENDED = 'sessions:ended';
/** A node counts all sessions once in so many milliseconds, and fills this part of the room that is left without counting again. */
const COUNT_MS = 1000;
const UNCOUNTED = 1 / 16;
/** Milliseconds between two reads of the records of sessions whose standing streams are read here, in case a message was lost. */
const LOOK_MS = 30_000;

/** The sessions of a store, for other nodes and later processes. */
export class StoredSessions implements NodesSide {
  readonly #here: SessionsHere;
  readonly #options: StoredSessionsOptions;
  readonly #records: SessionRecords;
  readonly #restoring = new Map<string, Promise<LiveSession | undefined>>();
  #subscription: Promise<() => Promise<void>> | undefined;
  #lookedAt: number;
  /** Sessions that may be opened, and were opened, until the next count. */
  #spare = { left: Promise.resolve(0), taken: 0, until: 0 };

  constructor(here: SessionsHere, options: StoredSessionsOptions) {
    const { core, store, idleMs, nodes } = options;
    this.#here = here;
    this.#options = options;
    this.#records = new SessionRecords(core, store, idleMs);
    this.#lookedAt = core.clock.now();
    if (nodes) nodes.side = this;
  }

  /** Resolves when this process hears of sessions that end, and of other nodes. */
  async ready(): Promise<void> {
    const { nodes, store } = this.#options;
    await nodes?.ready();
    this.#subscription ??= store.subscribe(ENDED, (id) => this.#here.inBackground(this.#here.endHere(id)));
    try {
      await this.#subscription;
    } catch (error) {
      this.#subscription = undefined;
      throw error;
    }
  }

  events(session: string, options: StoredEventsOptions): SessionEvents {
    const { nodes, store } = this.#options;
    return (nodes ? sharedEvents : storedEvents)(store, session, options);
  }

  /** The other nodes, as one session sees them. */
  among(session: string): SessionNodes | undefined {
    const { nodes } = this.#options;
    return (
      nodes && {
        id: nodes.id,
        requestId: (number) => nodes.requestId(session, number),
        isAlive: (node) => nodes.isAlive(node),
        mark: () => nodes.position,
        onstanding: (last) => {
          const { position } = nodes;
          if (last !== undefined && position !== undefined)
            this.#here.inBackground(this.#catchUp(session, last, position));
          return position;
        },
      }
    );
  }

  /** False for a session that is one too many on all nodes together; it has then ended. */
  async hasRoom(session: LiveSession): Promise<boolean> {
    const { nodes, max, core } = this.#options;
    if (!nodes) return true;
    const now = core.clock.now();
    if (now >= this.#spare.until) {
      const left = this.#records.count().then((count) => (max - count) * UNCOUNTED);
      left.catch(() => (this.#spare.until = 0));
      this.#spare = { left, taken: 0, until: now + COUNT_MS };
    }
    const taken = (this.#spare.taken += 1);
    if (taken <= (await this.#spare.left) || (await this.#records.count()) <= max) return true;
    // The caller's sessions on other nodes are not known here; those on this node decide.
    if (session.share && this.#here.takeFromMost(session.share.caller)) return true;
    await this.#here.end(session);
    return false;
  }

  /** The session with the changes of all nodes; `undefined` when it has ended. */
  find(id: string, caller: SessionCaller): LiveSession | undefined | Promise<LiveSession | undefined> {
    const known = this.#here.live.get(id);
    if (known === undefined) return this.#restore(id, caller);
    return this.#options.nodes ? this.#refresh(known) : known;
  }

  /** Stores changes, or prolongs the record of an unchanged session. */
  async save(session: LiveSession, opened: Session): Promise<void> {
    const { id, principal, kept } = session;
    // No other node has a session that is not in the store yet.
    const isNew = kept.version === '';
    const done = await this.#records.save(id, opened, principal, kept);
    if (done === 'gone') return this.#here.endHere(id);
    if (done === 'same') return this.prolong(session);
    if (!isNew) await this.#options.nodes?.signal({ kind: 'changed', session: id });
  }

  async prolong(session: LiveSession): Promise<void> {
    if (!(await this.#records.prolong(session.id, session.kept))) await this.#here.endHere(session.id);
  }

  /** Announces the end of a session. */
  async ended({ id }: LiveSession): Promise<void> {
    await this.#records.delete(id);
    await this.#options.store.publish(ENDED, id);
  }

  tick(now: number): void {
    if (this.#options.nodes === undefined || now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    for (const session of this.#here.live.values())
      if (session.transport.isStandingOpen) this.#here.inBackground(this.#refresh(session));
  }

  async close(): Promise<void> {
    await (
      await this.#subscription
    )?.();
  }

  // ---- NodesSide

  onmail(id: string, messages: readonly JSONRPCMessage[]): void {
    const transport = this.#here.live.get(id)?.transport;
    for (const message of messages) transport?.receive(message);
  }

  onsignal(signal: Signal): void {
    const session = this.#here.live.get(signal.session);
    if (session === undefined) return;
    if (signal.kind === 'changed') this.#here.inBackground(this.#refresh(session));
    else for (const message of signal.messages) session.transport.receive(message);
  }

  /**
   * Announces a change to the sessions whose standing streams are read here. Other nodes announce it to theirs; a session without a reader gets it when its
   * stream is read again.
   */
  onchange(change: Change): void {
    for (const { transport, connection } of this.#here.live.values())
      if (transport.isStandingOpen) connection.sendChange(change);
  }

  // ---- inside

  async #refresh(live: LiveSession): Promise<LiveSession | undefined> {
    const { id, principal, connection, kept } = live;
    // A session that is being opened is not in the store yet.
    if (kept.text === '') return live;
    const stored = await this.#records.get(id);
    if (stored === undefined) {
      await this.#here.endHere(id);
      return undefined;
    }
    if (connection.session) this.#records.refresh(connection.session, principal, kept, stored);
    return live;
  }

  /** Restores a session from the store. Concurrent requests for one session share the restoration. */
  #restore(id: string, caller: SessionCaller): Promise<LiveSession | undefined> {
    const restoring =
      this.#restoring.get(id) ?? this.#read(id, ownerOf(caller)).finally(() => this.#restoring.delete(id));
    this.#restoring.set(id, restoring);
    return restoring;
  }

  async #read(id: string, owner: string): Promise<LiveSession | undefined> {
    if (!isSessionId(id)) return undefined;
    const stored = await this.#records.get(id);
    const restored = stored && this.#records.restore(stored);
    if (!restored) return undefined;
    const live = await this.#here.open(id, { owner, principal: restored.principal }, restored.session);
    if (!live) return undefined;
    Object.assign(live.kept, restored.kept);
    live.transport.setProtocolVersion(restored.session.revision.id);
    return live;
  }

  /** Announces to a session the changes that were made while its standing stream had no reader. */
  async #catchUp(session: string, after: string, upTo: string): Promise<void> {
    for (const change of (await this.#options.nodes?.changesBetween(after, upTo)) ?? [])
      this.#here.live.get(session)?.connection.sendChange(change);
  }
}
