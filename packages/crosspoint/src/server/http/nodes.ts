import type { JSONRPCMessage } from '../../jsonrpc/message.ts';
import { LogFollower } from '../../stores/log-follower.ts';
import type { Json, Store } from '../../stores/store.ts';
import type { Ticker, Ticking } from '../../transports/http/ticker.ts';
import type { ServerCore } from '../core.ts';
import type { Change } from '../listening.ts';
import { ChangeFeed } from './change-feed.ts';
import { NodePresence } from './node-presence.ts';

/** What is told to all nodes about a session. It may be lost: nothing depends on it but how soon something is known. */
export type Signal =
  | { readonly kind: 'changed'; readonly session: string }
  /** Its standing stream is read at this node now. */
  | { readonly kind: 'taken'; readonly session: string; readonly by: string }
  /** Its client cancelled a request, and nobody knows where it is worked on. */
  | { readonly kind: 'cancelled'; readonly session: string; readonly message: JSONRPCMessage };

/** Who is told what comes from other nodes. */
export interface NodesSide {
  onmail(session: string, message: JSONRPCMessage): void;
  onsignal(signal: Signal): void;
  onchange(change: Change): void;
}

export interface NodesOptions {
  readonly core: ServerCore;
  readonly store: Store;
  readonly ticker: Ticker;
  /** How long a node counts as alive after its last sign of life. */
  readonly leaseMs: number;
}

const SIGNALS = 'sessions';
const MAIL = { ttlMs: 60_000, maxEntries: 10_000 };
/** How often what may have been missed is looked for. */
const LOOK_MS = 2000;
const NODE_OF_ID = /^(n[0-9a-f]{12})-\d+$/;

/** The node that sent a request, by its id; `undefined` for an id that no node made. */
export function nodeOf(id: unknown): string | undefined {
  return typeof id === 'string' ? NODE_OF_ID.exec(id)?.[1] : undefined;
}

/** This node among those that share its store. */
export class Nodes implements Ticking {
  side: NodesSide | undefined;
  readonly #options: NodesOptions;
  readonly #presence: NodePresence;
  readonly #feed: ChangeFeed;
  readonly #mail: LogFollower;
  readonly #detach: () => void;
  #starting: Promise<void> | undefined;
  #isStarted = false;
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
        const { session, message } = value as object as { session: string; message: JSONRPCMessage };
        this.#tell((side) => side.onmail(session, message));
      },
    });
    this.#detach = core.attach(this.#feed);
    ticker.add(this);
    this.ready().catch(onproblem);
  }

  get id(): string {
    return this.#presence.id;
  }

  /** How far changes have been heard. */
  get position(): string | undefined {
    return this.#feed.position;
  }

  /** Resolves when others know of this node and it hears them. Rejects while the store cannot be reached. */
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

  /** Hands a message to the node it is for. It is kept until that node has read it. */
  async forward(node: string, session: string, message: JSONRPCMessage): Promise<void> {
    const { store } = this.#options;
    await store.append(mailOf(node), { session, message: message as object as Json }, MAIL);
    await store.publish(mailOf(node), null);
  }

  async signal(signal: Signal): Promise<void> {
    await this.#options.store.publish(SIGNALS, signal as object as Json);
  }

  tick(now: number): void {
    if (now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    const { core } = this.#options;
    (this.#isStarted ? this.#presence.hold() : this.ready()).catch((error: unknown) =>
      core.onproblem(error instanceof Error ? error : new Error(String(error))),
    );
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
      core.onproblem(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #start(): Promise<void> {
    const { store } = this.#options;
    await this.#presence.hold();
    this.#unsubscribe ??= await store.subscribe(SIGNALS, (signal) =>
      this.#tell((side) => side.onsignal(signal as object as Signal)),
    );
    await this.#mail.start(undefined);
    await this.#feed.start();
    this.#isStarted = true;
  }

  /** Whoever listens at this node hears of changes elsewhere as of its own; sessions hear of all of them in one order. */
  #onchange(change: Change, isOwn: boolean): void {
    if (!isOwn) this.#options.core.relay(change, this.#feed);
    this.#tell((side) => side.onchange(change));
  }

  #tell(run: (side: NodesSide) => void): void {
    try {
      if (this.side) run(this.side);
    } catch (error) {
      this.#options.core.onproblem(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

function mailOf(node: string): string {
  return `mail:${node}`;
}
