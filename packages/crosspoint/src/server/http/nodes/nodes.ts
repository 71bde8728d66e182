import type { JSONRPCMessage } from '../../../jsonrpc/message.ts';
import { asError } from '../../../runtime/guard.ts';
import { LogFollower } from '../../../stores/log-follower.ts';
import { asJson, type Store } from '../../../stores/store.ts';
import type { Ticker, Ticking } from '../../../transports/http/server/sessions/ticker.ts';
import { digest } from '../../asking/seals/digest.ts';
import type { ServerCore } from '../../core.ts';
import type { Change } from '../../changes/listening.ts';
import { ChangeFeed } from '../sessions/change-feed.ts';
import type { LiveSession } from '../sessions/live-session.ts';
import { NodePresence } from './node-presence.ts';
import { sendElsewhere } from './send-elsewhere.ts';

/** A message to all nodes about a session. It may be lost: that only delays what it announces. */
export type Signal =
  | { readonly kind: 'changed'; readonly session: string }
  /** The client cancelled requests, and it is unknown which node works on them. */
  | { readonly kind: 'cancelled'; readonly session: string; readonly messages: readonly JSONRPCMessage[] };

/** Receives messages from other nodes. */
export interface NodesSide {
  onmail(session: string, messages: readonly JSONRPCMessage[]): void;
  onsignal(signal: Signal): void;
  onchange(change: Change): void;
}

export interface NodesOptions {
  readonly core: ServerCore;
  readonly store: Store;
  readonly ticker: Ticker;
  /** Milliseconds that a node counts as alive after its last sign of life. */
  readonly leaseMs: number;
}

const SIGNALS = 'sessions';
const MAIL = { ttlMs: 60_000, maxEntries: 10_000, maxBytes: 16 * 1024 * 1024 };
/** The key of a secret that all nodes know and no client does: it signs the ids of requests to clients. */
const SECRET = 'nodes:secret';
/** Milliseconds between two checks for missed messages. */
const LOOK_MS = 2000;
const REQUEST_ID = /^(n[0-9a-f]{12})-(\d{1,15})-[0-9a-f]{16}$/;

/** This node, among those that share its store. */
export class Nodes implements Ticking {
  side: NodesSide | undefined;
  readonly #options: NodesOptions;
  readonly #presence: NodePresence;
  readonly #feed: ChangeFeed;
  readonly #mail: LogFollower;
  readonly #detach: () => void;
  #starting: Promise<void> | undefined;
  #isStarted = false;
  #secret = '';
  #unsubscribe: (() => Promise<void>) | undefined;
  #lookedAt = 0;

  constructor(options: NodesOptions) {
    const { core, store, ticker, leaseMs } = options;
    this.#options = options;
    this.#presence = new NodePresence(store, leaseMs, core.clock);
    const onproblem = (error: Error): void => core.onproblem(error);
    this.#feed = new ChangeFeed({ store, node: this.id, onproblem, onchange: (...heard) => this.#onchange(...heard) });
    this.#mail = new LogFollower({
      store,
      log: mailOf(this.id),
      channel: mailOf(this.id),
      onproblem,
      onentry: ({ value }) => {
        const { session, messages } = value as object as { session: string; messages: readonly JSONRPCMessage[] };
        this.#tell((side) => side.onmail(session, messages));
      },
    });
    this.#detach = core.attach(this.#feed);
    ticker.add(this);
    this.ready().catch(onproblem);
  }

  get id(): string {
    return this.#presence.id;
  }

  /** The position up to which changes have been received. */
  get position(): string | undefined {
    return this.#feed.position;
  }

  /** Resolves when other nodes know of this node and it receives their messages. Rejects while the store cannot be reached. */
  ready(): Promise<void> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  isAlive(node: string): Promise<boolean> {
    return this.#presence.isAlive(node);
  }

  changesBetween(after: string, upTo: string): Promise<readonly Change[]> {
    return this.#feed.between(after, upTo);
  }

  /** The id of a request of this node to the client of a session. */
  requestId(session: string, number: number): string {
    return this.#requestIdOf(this.id, session, number);
  }

  /** The node that sent a request to the client of this session, by its id; `undefined` for an id that no node made, or for another session. */
  nodeOf(session: string, id: unknown): string | undefined {
    const [, node, number] = (typeof id === 'string' && REQUEST_ID.exec(id)) || [];
    return node !== undefined && this.#requestIdOf(node, session, Number(number)) === id ? node : undefined;
  }

  #requestIdOf(node: string, session: string, number: number): string {
    return `${node}-${number}-${digest([this.#secret, session, node, number]).slice(0, 16)}`;
  }

  /** Stores messages for another node. They are kept until that node has read them. */
  async forward(node: string, session: string, messages: readonly JSONRPCMessage[]): Promise<void> {
    const { store } = this.#options;
    await store.append(mailOf(node), { session, messages: asJson(messages) }, MAIL);
    await store.publish(mailOf(node), null);
  }

  /** Forwards the messages of a POST that are for other nodes; returns the others, or `undefined` when there are none. */
  sendElsewhere(value: unknown, session: LiveSession): Promise<unknown> {
    return sendElsewhere(value, session, this);
  }

  async signal(signal: Signal): Promise<void> {
    await this.#options.store.publish(SIGNALS, asJson(signal));
  }

  tick(now: number): void {
    if (now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    const { core } = this.#options;
    (this.#isStarted ? this.#presence.hold() : this.ready()).catch((error: unknown) => core.onproblem(asError(error)));
    this.#mail.wake();
    this.#feed.look();
  }

  async close(): Promise<void> {
    this.#detach();
    this.#options.ticker.delete(this);
    const { core, store } = this.#options;
    try {
      await this.#starting;
      await Promise.all([this.#feed.stop(), this.#mail.stop(), this.#unsubscribe?.()]);
      await this.#presence.leave();
      await store.deleteLog(mailOf(this.id));
    } catch (error) {
      core.onproblem(asError(error));
    }
  }

  async #start(): Promise<void> {
    const { store } = this.#options;
    await this.#presence.hold();
    await store.put(SECRET, crypto.randomUUID(), { ifVersion: null });
    this.#secret = JSON.stringify((await store.get(SECRET))?.value);
    this.#unsubscribe ??= await store.subscribe(SIGNALS, (signal) =>
      this.#tell((side) => side.onsignal(signal as object as Signal)),
    );
    await this.#mail.start(undefined);
    await this.#feed.start();
    this.#isStarted = true;
  }

  /** Passes on a change: to listeners of this node, unless it was made here, and to sessions, which get all changes in one order. */
  #onchange(change: Change, isOwn: boolean): void {
    if (!isOwn) this.#options.core.relay(change, this.#feed);
    this.#tell((side) => side.onchange(change));
  }

  #tell(run: (side: NodesSide) => void): void {
    try {
      if (this.side) run(this.side);
    } catch (error) {
      this.#options.core.onproblem(asError(error));
    }
  }
}

function mailOf(node: string): string {
  return `mail:${node}`;
}
