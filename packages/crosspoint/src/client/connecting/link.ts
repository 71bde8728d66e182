import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import { startHeartbeat, type HeartbeatOptions } from '../../peer/heartbeat.ts';
import { isProtocolError, TransportError } from '../../protocol/errors.ts';
import type { Facts } from '../../protocol/outcome.ts';
import type { Revision } from '../../revisions/revision.ts';
import type { RevisionChoice, SpokenRevisions } from '../../revisions/selection.ts';
import { isRestartable, type RestartableTransport, type Transport } from '../../transports/transport.ts';
import { follow, untilAborted } from '../calls/abort.ts';
import { Connection, type ConnectionSide, type TransportObservers } from './connection.ts';
import { heal, type Healed, type ReconnectPolicy } from './healing.ts';
import { open } from './opening.ts';
import type { ServerFacts } from './server-facts.ts';
import type { VerdictMemory } from './verdicts.ts';

export interface LinkOptions {
  /** What is spoken over a transport; `choice` goes before what the client was made with. Throws where that is nothing. */
  readonly spokenOver: (transport: Transport, choice: RevisionChoice | undefined) => SpokenRevisions;
  readonly verdicts: VerdictMemory;
  readonly clock: Clock;
  readonly connectMs: number;
  readonly probeMs: number;
  readonly heartbeat: HeartbeatOptions | undefined;
  readonly reconnect: ReconnectPolicy | undefined;
  /** The same for transports that can be renewed at no cost. */
  readonly renew: ReconnectPolicy | undefined;
}

export interface LinkOpenOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly revisions?: RevisionChoice | undefined;
}

/** What follows the end of a connection: it is being restored, it is lost, or it was closed by this side. */
export type Loss = 'healing' | 'lost' | 'closed';

/** What the client puts around its link. None of these may throw. */
export interface LinkSide extends Omit<ConnectionSide, 'onclosed'> {
  facts(): Facts;
  /** What a handshake says of extensions. */
  handshakeExtensions(): JsonObject | undefined;
  /** For a method that an extension adds: the member of the params that `Mcp-Name` repeats. */
  namedBy(method: string): string | undefined;
  /** Connected again, to a server that knows nothing of what it was told before. */
  onhealed(connection: Connection): void;
  /** The connection is gone, and everything that waits is about to fail. */
  onlost(loss: Loss): void;
  /** Gone for good, by either side. */
  onclose(): void;
}

/** The way to one server: opened, watched, healed, closed. */
export class Link {
  readonly #side: LinkSide;
  readonly #options: LinkOptions;
  #state: 'idle' | 'opening' | 'ready' | 'healing' = 'idle';
  #transport: Transport | undefined;
  #spoken: SpokenRevisions | undefined;
  #observers: TransportObservers = {};
  #connection: Connection | undefined;
  #server: ServerFacts | undefined;
  #life = new AbortController();
  #healing: Promise<Healed> | undefined;
  #stopHeartbeat: (() => void) | undefined;
  #stale: Error | undefined;
  /** Why the last attempt to heal failed. */
  #obstacle: Error | undefined;
  #readyAt = 0;
  #tried = 0;

  constructor(side: LinkSide, options: LinkOptions) {
    this.#side = side;
    this.#options = options;
  }

  get transport(): Transport | undefined {
    return this.#transport;
  }

  /** What the server said of itself; kept while the link heals. */
  get server(): ServerFacts | undefined {
    return this.#server;
  }

  get revision(): Revision | undefined {
    return this.#server === undefined ? undefined : this.#connection?.revision;
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  /** Whether what is lost on the way can be got again over the same transport. */
  get canRenew(): boolean {
    return this.#transport !== undefined && isRestartable(this.#transport) && this.#transport.renewable === true;
  }

  /** Whether a connection that was lost is being made anew. */
  get isHealing(): boolean {
    return this.#state === 'healing';
  }

  /** How often and how fast that is tried; `undefined` where the program wants none of it. */
  get renewal(): ReconnectPolicy | undefined {
    return this.#options.renew;
  }

  learn(server: ServerFacts): void {
    if (this.#server !== undefined) this.#server = server;
  }

  async open(transport: Transport, options: LinkOpenOptions = {}): Promise<void> {
    if (this.#state !== 'idle')
      throw new TypeError('This client is connected already: close it first, or use one client for each connection.');
    this.#spoken = this.#options.spokenOver(transport, options.revisions);
    this.#state = 'opening';
    this.#transport = transport;
    transport.namedBy = (method) => this.#side.namedBy(method);
    this.#observers = { onclose: transport.onclose, onerror: transport.onerror, onmessage: transport.onmessage };
    const life = (this.#life = new AbortController());
    const unfollow = follow(life, options.signal);
    try {
      await this.#establish(transport, life.signal, options.timeoutMs);
    } catch (error) {
      // Closed meanwhile, and perhaps opened again: then this is no longer ours to reset.
      if (life === this.#life) this.#reset();
      throw error;
    } finally {
      unfollow();
    }
  }

  /** The connection to send on; waits for one that is being healed. */
  connection(signal?: AbortSignal): Connection | Promise<Connection> {
    if (this.#state === 'ready' && this.#connection !== undefined) return this.#connection;
    if (this.#healing === undefined) throw new TransportError('closed', 'The client is not connected.');
    return untilAborted(this.#healing, 'the request', signal).then((healed) => {
      if (healed !== 'healed') throw lostError(this.#obstacle);
      return this.connection(signal);
    });
  }

  async close(): Promise<void> {
    if (this.#state === 'idle') return;
    const connection = this.#connection;
    const transport = this.#transport;
    this.#life.abort(new TransportError('closed', 'The client was closed.'));
    this.#reset();
    this.#side.onlost('closed');
    if (connection === undefined) await transport?.close();
    else {
      connection.peer.close(
        (method) => new TransportError('closed', `${method}: the client was closed before an answer came.`, { method }),
      );
      await connection.close();
    }
    this.#side.onclose();
  }

  /** Ends a connection that this side no longer believes in; what follows is what follows any loss. */
  async #giveUpOn(connection: Connection, reason: Error): Promise<void> {
    this.#stale = reason;
    await connection.close();
  }

  async #establish(transport: Transport, signal: AbortSignal, connectMs: number | undefined): Promise<void> {
    const { verdicts, clock, probeMs } = this.#options;
    const spoken = this.#spoken ?? this.#options.spokenOver(transport, undefined);
    const side: ConnectionSide = { ...this.#side, onclosed: (connection) => this.#onclosed(connection) };
    const { connection, server } = await open({
      transport,
      spoken,
      verdicts,
      clock,
      probeMs,
      signal,
      connectMs: connectMs ?? this.#options.connectMs,
      facts: this.#side.facts(),
      extensions: this.#side.handshakeExtensions(),
      prepare: (revision) =>
        (this.#connection = new Connection(transport, revision, { side, observers: this.#observers, clock })),
      onproblem: (problem) => this.#side.onproblem(problem),
    });
    if (signal.aborted || connection.closed) throw closedError('connect', this.#lastFailure());
    this.#server = server;
    this.#state = 'ready';
    this.#readyAt = this.#options.clock.now();
    this.#healing = undefined;
    this.#stale = undefined;
    this.#watch(connection);
  }

  #watch(connection: Connection): void {
    const { heartbeat, clock } = this.#options;
    if (heartbeat === undefined) return;
    const ping = async (timeoutMs: number): Promise<void> => {
      const method = connection.revision.methods.has('ping') ? 'ping' : 'server/discover';
      try {
        await connection.call({ method, params: {}, facts: this.#side.facts() }, { idleTimeoutMs: timeoutMs });
      } catch (error) {
        // A server that refuses is alive.
        if (!isProtocolError(error)) throw error;
      }
    };
    this.#stopHeartbeat = startHeartbeat(
      { ping, onstale: (reason) => void this.#giveUpOn(connection, reason) },
      heartbeat,
      clock,
    );
  }

  #onclosed(connection: Connection): void {
    const cause = this.#stale ?? this.#lastFailure();
    if (connection !== this.#connection || this.#state !== 'ready') {
      connection.peer.close((method) => closedError(method, cause));
      return;
    }
    this.#stopHeartbeat?.();
    const transport = this.#transport;
    const policy = transport !== undefined && isRestartable(transport) ? this.#policyFor(transport) : undefined;
    if (policy === undefined || transport === undefined) {
      this.#reset();
      this.#side.onlost('lost');
      connection.peer.close((method) => closedError(method, cause));
      this.#side.onclose();
      return;
    }
    this.#state = 'healing';
    this.#side.onlost('healing');
    this.#healing = this.#heal(transport, policy);
    connection.peer.close((method) => unknownDelivery(method, cause));
  }

  #policyFor({ renewable }: RestartableTransport): ReconnectPolicy | undefined {
    return renewable === true ? this.#options.renew : this.#options.reconnect;
  }

  async #heal(transport: Transport, policy: ReconnectPolicy): Promise<Healed> {
    const { signal } = this.#life;
    const { clock } = this.#options;
    const renews = isRestartable(transport) && transport.renewable === true;
    // Only a connection that lasted is a fresh start: a server that ends whenever it has been started is not started for ever.
    if (clock.now() - this.#readyAt > (renews ? policy.initialDelayMs : policy.maxDelayMs)) this.#tried = 0;
    const attempt = async (): Promise<void> => {
      this.#tried += 1;
      await this.#establish(transport, signal, undefined);
    };
    const onproblem = (problem: Error): void => {
      this.#obstacle = problem;
      this.#side.onproblem(problem);
    };
    const healed = await heal(attempt, policy, { clock, signal, tried: this.#tried, atOnce: renews, onproblem });
    // Lost again before anybody could be told: then the next healing tells them.
    if (healed === 'healed' && this.#state === 'ready' && this.#connection !== undefined)
      this.#side.onhealed(this.#connection);
    else if (healed === 'gave-up') {
      this.#reset();
      this.#side.onlost('lost');
      this.#side.onclose();
    }
    return healed;
  }

  #lastFailure(): Error | undefined {
    const transport = this.#transport;
    return transport !== undefined && isRestartable(transport) ? transport.lastFailure : undefined;
  }

  #reset(): void {
    this.#stopHeartbeat?.();
    this.#stopHeartbeat = undefined;
    this.#state = 'idle';
    this.#connection = undefined;
    this.#server = undefined;
    this.#transport = undefined;
    this.#healing = undefined;
    this.#tried = 0;
  }
}

function closedError(method: string, cause: Error | undefined): TransportError {
  const message = `${method}: the connection closed before an answer came${cause === undefined ? '.' : `: ${cause.message}`}`;
  return new TransportError('closed', message, { method }, cause === undefined ? undefined : { cause });
}

function lostError(cause: Error | undefined): TransportError {
  const message = `The connection was lost and could not be restored${cause === undefined ? '.' : `: ${cause.message}`}`;
  return new TransportError('closed', message, {}, cause === undefined ? undefined : { cause });
}

function unknownDelivery(method: string, cause: Error | undefined): TransportError {
  const message = `${method}: the connection closed before an answer came, so it may or may not have been carried out; it was not repeated${cause === undefined ? '.' : `: ${cause.message}`}`;
  return new TransportError('delivery-unknown', message, { method }, cause === undefined ? undefined : { cause });
}
