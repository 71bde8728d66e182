import type { JsonObject, RequestId } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import { startHeartbeat, type HeartbeatOptions } from '../../peer/heartbeat.ts';
import { isProtocolError, TransportError } from '../../protocol/errors.ts';
import type { Facts } from '../../protocol/outcome.ts';
import type { Revision } from '../../revisions/revision.ts';
import type { RevisionChoice, SpokenRevisions } from '../../revisions/selection.ts';
import { isRestartable, type RestartableTransport, type Transport } from '../../transports/transport.ts';
import { follow, untilAborted } from '../calls/abort.ts';
import { ClientConnection, type ConnectionSide, type TransportObservers } from './connection.ts';
import { heal, type Healed, type ReconnectPolicy } from './healing.ts';
import { leftBy, openConnection } from './opening.ts';
import type { ServerFacts } from './server-facts.ts';
import type { VerdictMemory } from './verdicts.ts';

export interface LinkOptions {
  /** Revisions to speak over a transport; `choice` takes precedence over the client's options. Throws when none is left. */
  readonly spokenOver: (transport: Transport, choice: RevisionChoice | undefined) => SpokenRevisions;
  readonly verdicts: VerdictMemory;
  readonly clock: Clock;
  readonly connectMs: number;
  readonly probeMs: number;
  readonly heartbeat: HeartbeatOptions | undefined;
  readonly reconnect: ReconnectPolicy | undefined;
  /** Policy for transports whose renewal starts no process, such as HTTP. */
  readonly renew: ReconnectPolicy | undefined;
}

export interface LinkOpenOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly revisions?: RevisionChoice | undefined;
}

/** Consequence of a lost connection: `healing`, it is being restored; `lost`, for good; `closed`, by this side. */
export type Loss = 'healing' | 'lost' | 'closed';

/** Callbacks of the client for its link. None of them may throw. */
export interface LinkSide extends Omit<ConnectionSide, 'onclosed'> {
  facts(): Facts;
  /** The `extensions` member of an `initialize` request. */
  handshakeExtensions(): JsonObject | undefined;
  /** The params member that the `Mcp-Name` header repeats, for a method that an extension adds. */
  namedBy(method: string): string | undefined;
  /** Connected again. The server is new: subscriptions and levels set before are unknown to it. */
  onhealed(connection: ClientConnection): void;
  /** The connection is gone; pending requests are about to reject. */
  onlost(loss: Loss): void;
  /** The link is closed for good, whichever side closed it. */
  onclose(): void;
}

/** The link to one server across connections: opens, monitors, restores and closes them. */
export class Link {
  readonly #side: LinkSide;
  readonly #options: LinkOptions;
  #state: 'idle' | 'opening' | 'ready' | 'healing' = 'idle';
  #transport: Transport | undefined;
  #spoken: SpokenRevisions | undefined;
  #observers: TransportObservers = {};
  #connection: ClientConnection | undefined;
  #server: ServerFacts | undefined;
  #life = new AbortController();
  #healing: Promise<Healed> | undefined;
  /** The transport of the last attempt that failed; it may still be closing. */
  #left: Transport | undefined;
  #stopHeartbeat: (() => void) | undefined;
  #stale: Error | undefined;
  /** The last error while restoring. */
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

  /** Facts that the server stated about itself; kept while the connection is being restored. */
  get server(): ServerFacts | undefined {
    return this.#server;
  }

  get revision(): Revision | undefined {
    return this.#server === undefined ? undefined : this.#connection?.revision;
  }

  /** The connection, where it is ready. */
  get ready(): ClientConnection | undefined {
    return this.#state === 'ready' ? this.#connection : undefined;
  }

  /** Whether a lost connection can be made again over the same transport without starting a process. */
  get canRenew(): boolean {
    return this.#transport !== undefined && isRestartable(this.#transport) && this.#transport.renewable === true;
  }

  /** Whether a lost connection is being restored. */
  get isHealing(): boolean {
    return this.#state === 'healing';
  }

  /** The policy for that; `undefined` when the program turned it off. */
  get renewal(): ReconnectPolicy | undefined {
    return this.#options.renew;
  }

  learn(server: ServerFacts): void {
    if (this.#server !== undefined) this.#server = server;
  }

  async open(transport: Transport, options: LinkOpenOptions = {}): Promise<void> {
    if (this.#state !== 'idle')
      throw new TypeError('The client is already connected: close it first, or use one client per connection.');
    this.#spoken = this.#options.spokenOver(transport, options.revisions);
    this.#state = 'opening';
    this.#transport = transport;
    transport.namedBy = (method) => this.#side.namedBy(method);
    this.#observers = { onclose: transport.onclose, onerror: transport.onerror, onmessage: transport.onmessage };
    const life = (this.#life = new AbortController());
    const unfollow = follow(life, options.signal);
    try {
      await this.#openConnection(transport, life.signal, options.timeoutMs);
    } catch (error) {
      // The link was closed meanwhile, and may have been opened again: its state belongs to that attempt.
      if (life === this.#life) this.#reset();
      this.#left = transport;
      throw error;
    } finally {
      unfollow();
    }
  }

  /** The connection to send on; a promise while a lost one is being restored. */
  connection(signal?: AbortSignal): ClientConnection | Promise<ClientConnection> {
    if (this.ready !== undefined) return this.ready;
    if (this.#healing === undefined)
      throw new TransportError('closed', 'The client is not connected: call connect() first.');
    return untilAborted(this.#healing, 'the request', signal).then((healed) => {
      if (healed !== 'healed') throw lostError(this.#obstacle);
      return this.connection(signal);
    });
  }

  async close(): Promise<void> {
    if (this.#state === 'idle') return this.#left && leftBy(this.#left);
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

  /** Closes a connection whose heartbeat failed. It is then restored like any other lost connection. */
  async #giveUpOn(connection: ClientConnection, reason: Error): Promise<void> {
    this.#stale = reason;
    await connection.close();
  }

  async #openConnection(transport: Transport, signal: AbortSignal, connectMs: number | undefined): Promise<void> {
    const { verdicts, clock, probeMs } = this.#options;
    const spoken = this.#spoken ?? this.#options.spokenOver(transport, undefined);
    const side: ConnectionSide = { ...this.#side, onclosed: (connection) => this.#onclosed(connection) };
    const { connection, server } = await openConnection({
      transport,
      spoken,
      verdicts,
      clock,
      probeMs,
      signal,
      connectMs: connectMs ?? this.#options.connectMs,
      facts: this.#side.facts(),
      extensions: this.#side.handshakeExtensions(),
      makeConnection: (revision) =>
        (this.#connection = new ClientConnection(transport, revision, { side, observers: this.#observers, clock })),
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

  #watch(connection: ClientConnection): void {
    const { heartbeat, clock } = this.#options;
    if (heartbeat === undefined) return;
    const ping = async (timeoutMs: number): Promise<void> => {
      const method = connection.revision.methods.has('ping') ? 'ping' : 'server/discover';
      try {
        await connection.call({ method, params: {}, facts: this.#side.facts() }, { totalTimeoutMs: timeoutMs });
      } catch (error) {
        // An error response also shows that the server is alive.
        if (!isProtocolError(error)) throw error;
      }
    };
    this.#stopHeartbeat = startHeartbeat(
      { ping, onstale: (reason) => void this.#giveUpOn(connection, reason) },
      heartbeat,
      clock,
    );
  }

  #onclosed(connection: ClientConnection): void {
    const cause = this.#stale ?? this.#lastFailure();
    if (connection !== this.#connection || this.#state !== 'ready') {
      connection.peer.close((method) => closedError(method, cause));
      return;
    }
    this.#stopHeartbeat?.();
    const transport = this.#transport;
    const policy = transport !== undefined && isRestartable(transport) ? this.#policyFor(transport, cause) : undefined;
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
    connection.peer.close((method, id) => (wasRefused(id, cause) ? cause : unknownDelivery(method, cause)));
  }

  /** A session over HTTP that ended without a failure was closed by the program, on the transport itself: it is not opened again. */
  #policyFor({ renewable }: RestartableTransport, cause: Error | undefined): ReconnectPolicy | undefined {
    if (renewable !== true) return this.#options.reconnect;
    return cause === undefined ? undefined : this.#options.renew;
  }

  async #heal(transport: Transport, policy: ReconnectPolicy): Promise<Healed> {
    const { signal } = this.#life;
    const { clock } = this.#options;
    const renews = isRestartable(transport) && transport.renewable === true;
    // The count of attempts restarts only after a connection that lasted. A server that exits right after every start is not started for
    // ever.
    if (clock.now() - this.#readyAt > (renews ? policy.initialDelayMs : policy.maxDelayMs)) this.#tried = 0;
    const attempt = async (): Promise<void> => {
      this.#tried += 1;
      await this.#openConnection(transport, signal, undefined);
    };
    const onproblem = (problem: Error): void => {
      this.#obstacle = problem;
      this.#side.onproblem(problem);
    };
    const healed = await heal(attempt, policy, { clock, signal, tried: this.#tried, atOnce: renews, onproblem });
    // If the connection was lost again meanwhile, the next healing calls `onhealed`.
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

/** Whether the server answered this request by saying that it no longer knows the session, so that it was not carried out. */
function wasRefused(id: RequestId, cause: Error | undefined): cause is TransportError {
  if (!(cause instanceof TransportError) || cause.code !== 'session-lost') return false;
  const { refused } = cause.details;
  return Array.isArray(refused) && refused.includes(id);
}

function unknownDelivery(method: string, cause: Error | undefined): TransportError {
  const message = `${method}: the connection closed before an answer came, so it may or may not have been carried out; it was not repeated${cause === undefined ? '.' : `: ${cause.message}`}`;
  return new TransportError('delivery-unknown', message, { method }, cause === undefined ? undefined : { cause });
}
