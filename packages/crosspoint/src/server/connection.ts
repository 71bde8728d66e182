import type { JSONRPCBatch, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JsonObject, RequestId } from '../jsonrpc/message.ts';
import { hasCapability, type ClientCapabilities } from '../protocol/capabilities.ts';
import { ProtocolError, TransportError } from '../protocol/errors.ts';
import type { LoggingMessage } from '../protocol/logging.ts';
import type { Ask, Facts, Inbound, Outcome } from '../protocol/outcome.ts';
import { startHeartbeat } from '../peer/heartbeat.ts';
import { Peer, type PeerSide } from '../peer/peer.ts';
import { ProgressReporter, type Progress } from '../peer/progress.ts';
import { claimedVersion, isSpecificationMethod } from '../revisions/index.ts';
import type { Revision } from '../revisions/revision.ts';
import type { MessageExtraInfo, Transport } from '../transports/transport.ts';
import { builtInFor } from './built-in.ts';
import { ServerContext } from './context.ts';
import type { ServerCore } from './core.ts';
import type { AskOptions, Edge } from './edge.ts';
import { completed, isThenable } from './handler.ts';
import { writeOnce } from './kept-results.ts';
import { ListenStreams, changeNotification, marked, type Change } from './listening.ts';
import { LogGate } from './log-gate.ts';
import type { Session } from './session.ts';

/** One client on one transport: routes each message to the family it speaks. All state that belongs to a client is in here. */
export class Connection implements Edge, PeerSide {
  readonly transport: Transport;
  readonly core: ServerCore;
  readonly peer: Peer;
  readonly listens: ListenStreams = new ListenStreams();
  /** Set by the handshake; absent for clients that bring their facts with every request. */
  session: Session | undefined;
  readonly #calls = new Map<RequestId, ServerContext>();
  readonly #progress = new Map<RequestId, ProgressReporter>();
  readonly #logs: LogGate;
  readonly #onclose: (connection: Connection) => void;
  #stopHeartbeat: (() => void) | undefined;
  #closed = false;

  constructor(core: ServerCore, transport: Transport, onclose: (connection: Connection) => void) {
    this.core = core;
    this.transport = transport;
    this.peer = new Peer(this, core.clock);
    this.#logs = new LogGate(core.clock);
    this.#onclose = onclose;
  }

  /** Callbacks that the program has set on the transport stay in place and are called first. */
  async open(): Promise<void> {
    const { transport } = this;
    const { onclose, onerror, onmessage } = transport;
    transport.onmessage = (message, extra) => {
      onmessage?.(message, extra);
      this.peer.receive(message, extra);
    };
    transport.onbadframe = (frame) => this.peer.receiveBadFrame(frame);
    transport.onerror = (error) => {
      onerror?.(error);
      this.core.onproblem(error);
    };
    transport.onclose = () => {
      onclose?.();
      this.#ended();
    };
    await transport.start();
  }

  /** Ends listen streams in their own words, then the transport. */
  async close(): Promise<void> {
    for (const id of this.listens.ids) {
      // The answer first: to some clients a cancellation that comes before it means that the stream broke.
      this.peer.respond(id, this.#perRequest().writeResult('subscriptions/listen', completed(marked({}, id)), this.core.info));
      this.peer.notify('notifications/cancelled', { requestId: id, reason: 'The server is closing.' }, id);
    }
    await this.transport.close();
    this.#ended();
  }

  get sessionId(): string | undefined {
    return this.transport.sessionId;
  }

  // ---- PeerSide

  send(message: JSONRPCMessage | JSONRPCBatch, relatedRequestId: RequestId | undefined): Promise<void> | void {
    return relatedRequestId === undefined ? this.transport.send(message) : this.transport.send(message, { relatedRequestId });
  }

  revision(): Revision {
    return this.session?.revision ?? this.core.spoken.newest('handshake') ?? this.#perRequest();
  }

  mayAnswer(): boolean {
    return true;
  }

  onproblem(problem: Error): void {
    this.core.onproblem(problem);
  }

  oncancel(id: RequestId, reason: string | undefined): void {
    this.listens.close(id);
    this.#progress.delete(id);
    const ctx = this.#calls.get(id);
    this.#calls.delete(id);
    ctx?.abort(new TransportError('aborted', reason ?? 'The client cancelled the request.'));
    this.peer.outgoing.abandonRelated(id, 'The request this belonged to was cancelled.');
  }

  onnotification(notification: JSONRPCNotification): void {
    if (notification.method === 'notifications/initialized' && this.session && !this.session.initialized) {
      this.session.initialized = true;
      this.#startHeartbeat();
      this.core.oninitialized(this.session.revision);
    }
    this.core.onnotification(notification);
  }

  onrequest(request: JSONRPCRequest, extra: MessageExtraInfo | undefined): void {
    const claimed = claimedVersion(request);
    const stateless = this.core.spoken.newest('per-request');
    const revision = stateless !== undefined && (claimed !== undefined || !this.core.spoken.families.has('handshake')) ? this.#named(claimed, stateless) : this.revision();
    try {
      if (request.method === 'initialize' && revision.family === 'per-request') throw this.#unsupported(request.params?.['protocolVersion']);
      const inbound = revision.readRequest(request);
      if (claimed !== undefined && revision.family === 'per-request' && revision.id !== claimed) throw this.#unsupported(claimed);
      this.#serve(new ServerContext(inbound, this.#factsFor(inbound, request.method), revision, { edge: this, extra }));
    } catch (error) {
      this.#refused(revision, request.id, error);
    }
  }

  /** What a stateless request brings, or what the handshake settled. Only opening and liveness go without. */
  #factsFor(inbound: Inbound, method: string): Facts {
    const facts = inbound.facts ?? this.session?.facts;
    if (facts !== undefined) return facts;
    if (method === 'initialize' || method === 'ping' || !this.revision().methods.has(method)) return NO_FACTS;
    throw new ProtocolError('invalid-request', 'The connection is not initialized: send initialize first.');
  }

  #serve(ctx: ServerContext): void {
    const { method } = ctx.inbound;
    const info = ctx.revision.methods.get(method);
    const mayHandle = info === undefined ? !isSpecificationMethod(method) : info.sender !== 'server' && info.kind === 'request';
    const handler = mayHandle ? (builtInFor(this, method) ?? this.core.handlerFor(method)) : undefined;
    if (handler === undefined || (info?.needs !== undefined && !hasCapability(this.core.capabilities(), info.needs))) {
      throw new ProtocolError('method-not-found', `Method not found: ${method}`);
    }
    this.core.admit(ctx);
    this.#calls.set(ctx.requestId, ctx);
    const value = this.core.enter(ctx, () => handler(ctx.inbound, ctx));
    if (!isThenable(value)) return this.#finish(ctx, completed(value));
    value.then(
      (result) => this.#finish(ctx, completed(result)),
      (error: unknown) => this.#refused(ctx.revision, ctx.requestId, error),
    );
  }

  #finish(ctx: ServerContext, outcome: Outcome): void {
    const id = ctx.requestId;
    if (!this.#calls.delete(id)) return;
    if (this.#held(id)) return;
    this.#endProgress(id);
    this.peer.outgoing.abandonRelated(id, 'The request this belonged to has ended.');
    try {
      const write = (): JsonObject => ctx.revision.writeResult(ctx.inbound.method, outcome, this.core.info);
      this.peer.respond(id, outcome.kind === 'complete' ? writeOnce(outcome.result, ctx.revision, write) : write());
    } catch (error) {
      this.#refused(ctx.revision, id, error);
    }
  }

  /** A listen stream that was kept open is answered when it ends. */
  #held(id: RequestId): boolean {
    for (const open of this.listens.ids) if (open === id) return true;
    return false;
  }

  #refused(revision: Revision, id: RequestId, error: unknown): void {
    this.#calls.delete(id);
    this.#endProgress(id);
    this.peer.outgoing.abandonRelated(id, 'The request this belonged to has ended.');
    if (!(error instanceof ProtocolError)) this.core.onproblem(error instanceof Error ? error : new Error(String(error)));
    this.peer.refuseIn(revision, id, error);
  }

  // ---- Edge

  emit(ctx: ServerContext, method: string, params: JsonObject): void {
    if (!this.peer.isInFlight(ctx.requestId)) return;
    const written = isSpecificationMethod(method) ? ctx.revision.writeNotification(method, params) : params;
    if (written !== undefined) this.peer.notify(method, written, ctx.requestId);
  }

  progress(ctx: ServerContext, value: Progress): void {
    const token = ctx.inbound.progressToken;
    if (token === undefined || !this.peer.isInFlight(ctx.requestId)) return;
    let reporter = this.#progress.get(ctx.requestId);
    if (reporter === undefined) {
      reporter = new ProgressReporter(token, (params) => this.emit(ctx, 'notifications/progress', { ...params }), this.core.clock);
      this.#progress.set(ctx.requestId, reporter);
    }
    reporter.report(value);
  }

  /** A stateless client gets messages only for a request that asked for them, a handshake client as of its session's level. */
  log(ctx: ServerContext, message: LoggingMessage): void {
    if (this.core.capabilities().logging === undefined) throw new TypeError('To send log messages, declare capabilities: { logging: {} } on the server.');
    const threshold = ctx.family === 'handshake' ? (this.session?.facts.logLevel ?? 'debug') : ctx.facts.logLevel;
    if (threshold === undefined) return;
    for (const entry of this.#logs.pass(message, threshold)) this.emit(ctx, 'notifications/message', { ...entry });
  }

  /** A log message that belongs to no request: only handshake clients can receive it. */
  logToSession(message: LoggingMessage): void {
    if (!this.session) return;
    for (const entry of this.#logs.pass(message, this.session.facts.logLevel ?? 'debug')) this.notifySession('notifications/message', { ...entry });
  }

  notifySession(method: string, params: JsonObject): void {
    if (!this.session) return;
    const written = isSpecificationMethod(method) ? this.session.revision.writeNotification(method, params) : params;
    if (written !== undefined) this.peer.notify(method, written);
  }

  /** Tells a client of a change in the way its family is told: unsolicited where the handshake allowed it, on streams that asked otherwise. */
  tell(change: Change): void {
    const { method, params } = changeNotification(change);
    if (this.session && this.#mayTell(this.session, change)) this.notifySession(method, params);
    for (const id of this.listens.interested(change)) this.peer.notify(method, marked(params, id), id);
  }

  #mayTell({ declared, subscriptions }: Session, change: Change): boolean {
    if (change.kind !== 'resource') return declared[change.kind]?.listChanged === true;
    return declared.resources?.subscribe === true && (!this.core.keepsSubscriptions() || subscriptions.has(change.uri));
  }

  get capabilities(): ClientCapabilities {
    return this.session?.facts.capabilities ?? {};
  }

  ask(ctx: ServerContext | undefined, ask: Ask, options: AskOptions): Promise<JsonObject> {
    const revision = ctx?.revision ?? this.session?.revision;
    if (revision === undefined || revision.family !== 'handshake' || !this.session) return Promise.reject(cannotAsk(ask.method));
    const words = revision.writeAsk(ask);
    if (words === undefined) return Promise.reject(new ProtocolError('cannot-ask', `The client's protocol revision has no words for this ${ask.method}.`));
    return this.request(ctx, words.method, words.params, options);
  }

  request(ctx: ServerContext | undefined, method: string, params: JsonObject | undefined, options: AskOptions): Promise<JsonObject> {
    const revision = ctx?.revision ?? this.session?.revision;
    if (revision?.family !== 'handshake' || !this.session) return Promise.reject(cannotAsk(method));
    const info = revision.methods.get(method);
    if (info === undefined ? isSpecificationMethod(method) : info.sender === 'client') return Promise.reject(new ProtocolError('method-not-found', `A server cannot send ${method} to this client.`));
    const id = this.peer.outgoing.reserveId();
    const written = options.onprogress ? revision.writeRequest({ method, params: params ?? {}, facts: NO_FACTS, progressToken: id }) : params;
    return this.peer.request(id, method, written, ctx === undefined ? options : { ...options, relatedRequestId: ctx.requestId });
  }

  // ---- life

  #startHeartbeat(): void {
    if (!this.core.heartbeat) return;
    this.#stopHeartbeat = startHeartbeat(
      {
        ping: (timeoutMs) => this.request(undefined, 'ping', undefined, { idleTimeoutMs: timeoutMs }),
        onstale: (reason) => {
          this.core.onproblem(reason);
          void this.transport.close();
        },
      },
      this.core.heartbeat,
      this.core.clock,
    );
  }

  #ended(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopHeartbeat?.();
    this.peer.close((method) => new TransportError('closed', `The connection closed before ${method} was answered.`));
    this.#onclose(this);
  }

  #endProgress(id: RequestId): void {
    this.#progress.get(id)?.end();
    this.#progress.delete(id);
  }

  /** The stateless revision a request names; an unknown name is read by the newest one, which then refuses it. */
  #named(claimed: unknown, newest: Revision): Revision {
    const found = typeof claimed === 'string' ? this.core.spoken.find(claimed) : undefined;
    return found?.family === 'per-request' ? found : newest;
  }

  #perRequest(): Revision {
    const revision = this.core.spoken.newest('per-request') ?? this.core.spoken.all[0];
    if (revision === undefined) throw new TypeError('A server speaks at least one revision.');
    return revision;
  }

  #unsupported(requested: unknown): ProtocolError {
    const supported = this.core.spoken.all.filter((revision) => revision.family === 'per-request').map((revision) => revision.id);
    return new ProtocolError('unsupported-version', `Protocol version ${String(requested)} is not supported.`, { supported, requested });
  }
}

const NO_FACTS: Facts = { capabilities: {} };

function cannotAsk(method: string): ProtocolError {
  return new ProtocolError('cannot-ask', `${method}: this client cannot be sent requests; there is no session with it.`);
}
