import type {
  ErrorObject,
  JSONRPCBatch,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JsonObject,
  RequestId,
} from '../../jsonrpc/message.ts';
import type { ClientCapabilities } from '../../protocol/capabilities.ts';
import { ProtocolError, TransportError, isProtocolError } from '../../protocol/errors.ts';
import type { LoggingMessage } from '../../protocol/logging.ts';
import type { Carrier } from '../../protocol/operation.ts';
import type { Ask, Facts, Inbound, Outcome } from '../../protocol/outcome.ts';
import { asError } from '../../runtime/guard.ts';
import { startHeartbeat } from '../../peer/heartbeat.ts';
import { Peer, type InFlight, type PeerSide } from '../../peer/peer.ts';
import { ProblemReports } from '../../peer/problem-reports.ts';
import { claimedVersion } from '../../revisions/index.ts';
import { isSpecificationMethod } from '../../revisions/specification-methods.ts';
import { noSession, unsupportedVersion } from '../../revisions/faults.ts';
import { withProgressToken, withoutEnvelope } from '../../revisions/meta-keys.ts';
import type { Revision } from '../../revisions/revision.ts';
import { attachSide } from '../../transports/attach-side.ts';
import type { BadFrame, MessageExtraInfo, Transport, TransportSide } from '../../transports/transport.ts';
import { builtInFor } from '../features/built-in.ts';
import { inWords } from '../asking/questions.ts';
import { Call } from '../calls/call.ts';
import { withLimit } from '../calls/call-options.ts';
import { ServerContext } from '../calls/context.ts';
import type { ServerCore } from '../core.ts';
import type { AskOptions, Edge } from '../calls/edge.ts';
import { completed, type RequestHandler } from '../calls/handler.ts';
import { ListenStreams, changeNotification, changeWords, isFor, marked, type Change } from '../changes/listening.ts';
import { LogGate } from '../calls/log-gate.ts';
import { assumedSession, covers, type Session } from './session.ts';

/** One client on one transport: routes each message by its family. It holds all state that belongs to a client. */
export class Connection implements Edge, PeerSide, TransportSide {
  readonly core: ServerCore;
  readonly transport: Transport;
  readonly peer: Peer;
  /** Set by the handshake; absent for clients that send their facts with every request. */
  session: Session | undefined;
  /** Set where other nodes serve the session too: stores changes of the session before its client is answered. */
  keep: (() => Promise<void>) | undefined;
  /** Called when the connection has ended. */
  declare onended: (() => void) | undefined;
  // Made on first use: most connections need none of these, and there may be many connections.
  #listens: ListenStreams | undefined;
  #logs: LogGate | undefined;
  #problems: ProblemReports | undefined;
  #announced: Set<string> | undefined;
  #stopHeartbeat: (() => void) | undefined;
  #tellEnd: (() => void) | undefined;
  #closed = false;

  constructor(core: ServerCore, transport: Transport) {
    this.core = core;
    this.transport = transport;
    this.peer = new Peer(this, core.clock);
  }

  get listens(): ListenStreams {
    return (this.#listens ??= new ListenStreams());
  }

  #logGate(): LogGate {
    return (this.#logs ??= new LogGate(this.core.clock, this.core.rateOf('notifications/message')));
  }

  async open(): Promise<void> {
    attachSide(this.transport, this);
    await this.transport.start();
    this.#tellEnd = this.core.chain?.opened(this, (problem) => this.core.onproblem(problem));
  }

  /** Ends listen streams with their results, then the transport. */
  async close(): Promise<void> {
    for (const id of this.#listens?.ids ?? []) {
      // The answer comes first: some clients take a cancellation before it for a broken stream.
      this.endListen(id);
      this.peer.notify('notifications/cancelled', { requestId: id, reason: 'The server is closing.' }, id);
    }
    await this.transport.close();
    this.#ended();
  }

  /** Ends a listen stream with its regular result. */
  endListen(id: RequestId): void {
    if (this.#listens?.close(id) !== true) return;
    const result = completed(marked({}, id));
    this.peer.respond(id, this.core.spoken.all[0].writeResult('subscriptions/listen', result, this.core.info));
  }

  get sessionId(): string | undefined {
    return this.transport.sessionId;
  }

  get group(): string | undefined {
    return this.session?.group;
  }

  get carrier(): Carrier | undefined {
    return this.transport.carrier;
  }

  // ---- TransportSide

  onmessage(message: JSONRPCMessage, extra?: MessageExtraInfo): void {
    this.peer.receive(message, extra);
  }

  onbadframe(frame: BadFrame): void {
    this.peer.receiveBadFrame(frame);
  }

  onerror(error: Error): void {
    this.onproblem(error);
  }

  onclose(): void {
    this.#ended();
  }

  // ---- PeerSide

  send(message: JSONRPCMessage | JSONRPCBatch, relatedRequestId: RequestId | undefined): Promise<void> | void {
    return relatedRequestId === undefined
      ? this.transport.send(message)
      : this.transport.send(message, { relatedRequestId });
  }

  revision(): Revision {
    return this.session?.revision ?? this.core.spoken.newest('handshake') ?? this.core.spoken.all[0];
  }

  readError(error: ErrorObject): ProtocolError {
    return this.revision().readError(error);
  }

  mayAnswer(): boolean {
    return true;
  }

  onproblem(problem: Error): void {
    this.#problems ??= new ProblemReports(this.core.clock, (error) => this.core.onproblem(error));
    this.#problems.report(problem);
  }

  oncancel(id: RequestId, reason: string | undefined, { call }: InFlight): void {
    this.#listens?.close(id);
    call?.abort(this.core.lenient ? reason : new TransportError('aborted', reason ?? 'The client cancelled the call.'));
    this.peer.abandonRelated(id, 'The request this belonged to was cancelled.');
  }

  onnotification(notification: JSONRPCNotification, extra: MessageExtraInfo | undefined): void {
    if (notification.method === 'notifications/initialized') this.#initialized(this.session);
    this.core.onnotification(notification, this, extra);
  }

  #initialized(session: Session | undefined): void {
    if (session?.initialized === false) {
      session.initialized = true;
      this.#startHeartbeat();
    } else if (!this.core.lenient) return;
    this.core.oninitialized(this);
  }

  onrequest(request: JSONRPCRequest, extra: MessageExtraInfo | undefined, inFlight: InFlight): void {
    const claimed = claimedVersion(request);
    const stateless = this.core.spoken.newest('per-request');
    const revision =
      stateless !== undefined && (claimed !== undefined || this.core.spoken.newest('handshake') === undefined)
        ? this.#named(claimed, stateless)
        : this.revision();
    try {
      // A handshake that this server does not speak is answered with the versions it speaks. A request that claims a stateless revision falls through: its revision has no initialize.
      if (request.method === 'initialize' && claimed === undefined && revision.family === 'per-request')
        throw unsupportedVersion(request.params?.['protocolVersion'], this.core.spoken);
      const inbound = revision.readRequest(request);
      if (claimed !== undefined && revision.family === 'per-request' && revision.id !== claimed)
        throw unsupportedVersion(claimed, this.core.spoken);
      const facts = this.#factsFor(inbound, request.method);
      const call = new Call(this, new ServerContext(inbound, facts, revision, extra));
      inFlight.call = call;
      if (this.core.log !== undefined) this.#announce(call.context);
      call.run();
    } catch (error) {
      this.#refused(revision, request.id, error);
    }
  }

  /** The facts that a stateless request brings, or those of the handshake. Only `initialize`, `ping` and methods that are refused anyway go without. */
  #factsFor(inbound: Inbound, method: string): Facts {
    const facts = inbound.facts ?? this.session?.facts;
    if (facts !== undefined) return facts;
    if (
      method === 'initialize' ||
      method === 'ping' ||
      (isSpecificationMethod(method) && !this.revision().methods.has(method))
    )
      return NO_FACTS;
    if (this.core.lenient) {
      this.session = assumedSession(this.core, this.revision().id);
      return NO_FACTS;
    }
    throw new ProtocolError('invalid-request', 'The connection is not initialized: send initialize first.');
  }

  builtIn(method: string): RequestHandler | undefined {
    return builtInFor(this, method);
  }

  /** Logs once for each family what is spoken on this connection. */
  #announce({ family, protocolVersion, client, inbound }: ServerContext): void {
    if (this.#announced?.has(family) || inbound.method === 'initialize') return;
    this.#announced ??= new Set();
    this.#announced.add(family);
    this.core.log?.(
      `${client?.name ?? 'A client'} ${client?.version ?? 'without a name'} speaks ${protocolVersion} (${family} family).`,
    );
  }

  finish(call: Call, outcome: Outcome): void {
    // Checks the call and not its id: a cancelled id may be in use again.
    if (!call.isLive) return;
    const id = call.context.requestId;
    if (this.#listens?.has(id)) return this.#over(call);
    try {
      const result = call.written(outcome);
      this.#over(call);
      this.peer.respond(id, result);
    } catch (error) {
      this.fail(call, error);
    }
  }

  fail(call: Call, error: unknown): void {
    if (!call.isLive) return;
    this.#over(call);
    this.#refused(call.context.revision, call.context.requestId, error);
  }

  /** Nothing to do: a connection waits for any number of calls. */
  waits(): void {}

  #refused(revision: Revision, id: RequestId, error: unknown): void {
    if (!isProtocolError(error)) this.core.onproblem(asError(error));
    this.peer.refuse(id, error, revision);
  }

  // ---- Edge

  deliver({ context }: Call, method: string, params: JsonObject): void {
    this.peer.notify(method, params, context.requestId);
  }

  /** The log threshold: a stateless client gets messages only for a request that asked for them, a handshake client those of its session's level. */
  logsFor({ context }: Call, message: LoggingMessage): readonly LoggingMessage[] {
    const level = context.family === 'handshake' ? (this.session?.facts.logLevel ?? 'debug') : context.facts.logLevel;
    return level === undefined ? [] : this.#logGate().pass(message, level);
  }

  /** Sends a log message that belongs to no request: only handshake clients can receive it. */
  logToSession(message: LoggingMessage): void {
    if (!this.session) return;
    for (const entry of this.#logGate().pass(message, this.session.facts.logLevel ?? 'debug'))
      this.notifySession('notifications/message', { ...entry });
  }

  notifySession(method: string, params: JsonObject): void {
    if (!this.session) return;
    const written = isSpecificationMethod(method) ? this.session.revision.writeNotification(method, params) : params;
    if (written !== undefined) this.peer.notify(method, written);
  }

  /** A session that other nodes serve too is told by `Sessions`, at the node where its client listens. */
  tell(change: Change): void {
    if (this.keep === undefined) this.sendChange(change);
  }

  /** Sends a change to the client: unsolicited where the handshake allowed it, and on the listen streams that asked for it. */
  sendChange(change: Change): void {
    const { session } = this;
    if (session?.initialized && this.#mayTell(session, change)) {
      const words = changeWords(change, session.revision);
      if (words !== undefined) this.peer.tell(words);
    }
    if (this.#listens === undefined) return;
    const { method, params } = changeNotification(change);
    for (const id of this.#listens.interested(change)) this.peer.notify(method, marked(params, id), id);
  }

  #mayTell({ declared, subscriptions, group }: Session, change: Change): boolean {
    // Changes of extensions go only to the streams that asked for them.
    if (change.kind === 'extension' || !isFor(group, change)) return false;
    if (this.core.lenient) return true;
    if (change.kind !== 'resource') return declared[change.kind]?.listChanged === true;
    return (
      declared.resources?.subscribe === true &&
      (subscriptions.has(change.uri) || (!this.core.keepsSubscriptions() && covers(subscriptions, change.uri)))
    );
  }

  get capabilities(): ClientCapabilities {
    return this.session?.facts.capabilities ?? {};
  }

  /** Asks the client of the session outside of any request. */
  async askSession(ask: Ask, options: AskOptions): Promise<JsonObject> {
    if (!this.session) throw noSession(ask.method);
    const { revision } = this.session;
    const send = async (params: JsonObject): Promise<JsonObject> =>
      this.request(undefined, ask.method, inWords(revision, { ...ask, params }).params, options);
    return this.core.chain === undefined ? send(ask.params) : this.core.chain.ask(this, ask, send);
  }

  request(
    call: Call | undefined,
    method: string,
    params: JsonObject | undefined,
    options: AskOptions,
  ): Promise<JsonObject> {
    const revision = call?.context.revision ?? this.session?.revision;
    if (revision?.family !== 'handshake' || !this.session) return Promise.reject(noSession(method));
    if (call?.isLive === false)
      return Promise.reject(
        new TransportError('aborted', `${method} was not sent: the request it belongs to is over.`, { method }),
      );
    if (call === undefined && !this.session.initialized && method !== 'ping')
      return Promise.reject(
        new ProtocolError('cannot-ask', `${method}: the client has not finished its initialization yet.`),
      );
    const info = revision.methods.get(method);
    if (info === undefined ? isSpecificationMethod(method) : info.sender === 'client')
      return Promise.reject(new ProtocolError('method-not-found', `A server cannot send ${method} to this client.`));
    const number = this.peer.outgoing.reserveId() as number;
    const id = this.transport.requestId?.(number) ?? number;
    const written = options.onprogress ? withProgressToken(withoutEnvelope(params ?? {}), id) : params;
    const limited = withLimit(options, this.core.rounds.ttlMs);
    const related = call === undefined ? limited : { ...limited, relatedRequestId: call.context.requestId };
    return this.peer.request(id, method, written, related);
  }

  // ---- life

  #startHeartbeat(): void {
    if (!this.core.heartbeat) return;
    this.#stopHeartbeat = startHeartbeat(
      {
        ping: (timeoutMs) => this.request(undefined, 'ping', undefined, { idleTimeoutMs: timeoutMs }),
        onstale: (reason) => {
          this.core.onproblem(reason);
          this.transport.close().catch((error: unknown) => this.core.onproblem(asError(error)));
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
    for (const id of this.#listens?.ids ?? []) this.#listens?.close(id);
    this.#tellEnd?.();
    this.peer.close((method) => new TransportError('closed', `The connection closed before ${method} was answered.`));
    this.#problems?.flush();
    this.core.onclosed(this);
    this.onended?.();
  }

  /** Ends the call, and gives up the requests that were sent to the client on its behalf. */
  #over(call: Call): void {
    call.end();
    this.peer.abandonRelated(call.context.requestId, 'The request this belonged to has ended.');
  }

  /** The stateless revision a request names; an unknown name is read by the newest one, which then refuses it. */
  #named(claimed: unknown, newest: Revision): Revision {
    if (claimed === newest.id) return newest;
    const found = typeof claimed === 'string' ? this.core.spoken.find(claimed) : undefined;
    return found?.family === 'per-request' ? found : newest;
  }
}

const NO_FACTS: Facts = { capabilities: {} };
