import {
  kindOf,
  type JSONRPCBatch,
  type JSONRPCMessage,
  type JSONRPCResponse,
  type RequestId,
} from '../../../../jsonrpc/message.ts';
import { TransportError } from '../../../../protocol/errors.ts';
import type { HttpRules } from '../../../../revisions/revision.ts';
import { tokenLife } from '../../../auth-info.ts';
import type { MessageExtraInfo, Transport, TransportSendOptions, TransportSide } from '../../../transport.ts';
import { streamHeaders } from '../adapters/reply-headers.ts';
import type { HttpHeaders, HttpReply, HttpRequest, HttpStream } from '../adapters/exchange.ts';
import {
  addAnswer,
  cancellationOf,
  headersOf,
  isCancellation,
  isNamed,
  mayBeResumed,
  mayWait,
  postOf,
  refusalOf,
  respond,
  wholeStream,
  type PendingPost,
} from './pending-post.ts';
import { extraOf } from '../guards/http-auth.ts';
import { STANDING, type SessionEvents } from './session-events.ts';
import { REFUSED, cannotAsk, tooMany } from './session-refusals.ts';
import { NONE, SessionStream, StreamNames, keepOpen, withStream } from './session-stream.ts';
import type { OutgoingStream, StreamOwner } from './session-stream.ts';
import { NO_SIDE, NO_WORK, StreamsAtWork } from './streams-at-work.ts';
import type { OwnOptions, Reader, SessionNodes, StreamableShared } from './streamable-session-options.ts';
import type { Ticking } from './ticker.ts';
import { refuse } from '../adapters/refuse.ts';

/**
 * Streamable HTTP for one client: messages arrive by POST, and leave on the stream of their request or on the standing stream of a GET,
 * each on one stream only. A disconnect cancels nothing, except requests that name their own revision.
 */
export class StreamableSession implements Transport, Ticking, StreamOwner {
  sessionId: string | undefined;
  readonly #shared: StreamableShared;
  readonly #events: SessionEvents | undefined;
  readonly #nodes: SessionNodes | undefined;
  readonly #onidle: (() => void) | undefined;
  #side: TransportSide = NO_SIDE;
  #standingStream: OutgoingStream | undefined;
  #streams = NO_WORK;
  /** Streams with a connection. */
  #open = NONE;
  /** Ended streams whose last events are still being stored: a client that resumes one waits for them. */
  #ending = NONE;
  /** The POST being delivered: an error without an id is about it. */
  #receiving: PendingPost | undefined;
  /** HTTP rules of the session's revision. */
  #rules: HttpRules | undefined;
  #names: StreamNames | undefined;
  #closed = false;
  readonly carrier = 'http' as const;

  /** `shared` belongs to all sessions of an endpoint, so that none keeps a copy. */
  constructor(shared: StreamableShared, own: OwnOptions) {
    this.#shared = shared;
    this.sessionId = own.sessionId;
    this.#events = own.events;
    this.#nodes = own.nodes;
    this.#onidle = own.onidle;
  }

  requestId(number: number): RequestId {
    return this.#nodes?.requestId(number) ?? number;
  }
  attachSide(side: TransportSide): void {
    this.#side = side;
  }
  async start(): Promise<void> {}
  setProtocolVersion(version: string): void {
    this.#rules = this.#shared.rulesOf(version);
  }

  /** Whether a request is pending or a stream is read. */
  get isActive(): boolean {
    return this.#streams.size > 0 || this.#open.size > 0;
  }

  /** Whether the client has an open connection. */
  get isConnected(): boolean {
    return this.#open.size > 0 || this.#streams.streams().some(({ undecided }) => undecided);
  }
  get isClosed(): boolean {
    return this.#closed;
  }
  get isStandingOpen(): boolean {
    return this.#standingStream?.isOpen === true;
  }

  /** Delivers the messages of a POST and replies, now or later. */
  post(body: unknown, request: HttpRequest, reply: HttpReply, headers: HttpHeaders = {}): void {
    const stream = new SessionStream(undefined, this.#events, this);
    const post = postOf(body, stream, reply, headers);
    const { requests } = post;
    const refusal = this.#closed ? REFUSED.sessionOver : refusalOf(requests, this.#streams, this.#shared.maxStreams);
    if (refusal) return refuse(reply, refusal, headers);
    if (this.#streams === NO_WORK && requests.length > 0) this.#streams = new StreamsAtWork();
    for (const { id } of requests) this.#streams.add(id, stream);
    post.rules = requests[0] && this.#shared.ownRulesOf(requests[0]);
    stream.undecided = post;
    const extra = extraOf(request);
    this.#addControls(extra, requests[0]?.id, stream);
    this.#receiving = post;
    try {
      this.#side.onmessage?.(body as JSONRPCMessage, extra);
    } finally {
      this.#receiving = undefined;
    }
    for (const message of post.isBatch ? (body as unknown[]) : [body])
      if (isCancellation(message)) this.#abandon(message.params.requestId);
    if (post.refusal) this.#streams.forget(stream);
    // Most requests are answered within the turn: for them nothing is opened, watched or timed (a call of an async tool took 9.0 µs without sockets, and takes 7.4).
    if (stream.undecided && mayWait(post, this.#events)) reply.atEndOfTurn?.(stream);
    else this.onunanswered(post);
  }

  /** Whether a request of this id is pending here. */
  worksOn(id: unknown): boolean {
    return this.#streams.has(id as RequestId);
  }

  /** Takes a message that its client sent to another node. */
  receive(message: JSONRPCMessage): void {
    this.#side.onmessage?.(message);
    if (isCancellation(message)) this.#abandon(message.params['requestId']);
    this.#changed();
  }

  /** Opens the standing stream, or resumes any stream after the last event that the client saw. */
  async get(request: HttpRequest, reply: HttpReply, headers: HttpHeaders = {}): Promise<void> {
    const lastEventId = request.header('last-event-id');
    const events = this.#events;
    const { maxStreams, clock } = this.#shared;
    if (this.#open.size >= maxStreams) return refuse(reply, tooMany(maxStreams, 'streams'), headers);
    const to = { reply, headers, until: clock.now() + tokenLife(request.authInfo) };
    if (lastEventId !== undefined && events) return this.#resume(lastEventId, events, to);
    // With several nodes the newest standing stream wins: the others may not have noticed that theirs has ended.
    if (this.#standing.isOpen && !this.#nodes) return refuse(reply, REFUSED.secondStanding, headers);
    this.#standing.attach(this.#connect(this.#standing, to), this.#primed(), []);
    this.#changed();
  }
  send(message: JSONRPCMessage | JSONRPCBatch, options?: TransportSendOptions): void {
    if (this.#closed) throw new TransportError('closed', 'The session is closed.');
    if (Array.isArray(message)) this.#answerAll(message as readonly JSONRPCResponse[]);
    else if (!this.#sendOne(message as JSONRPCMessage, options?.relatedRequestId)) return;
    // A request answered synchronously, while it is being delivered, never needs a disconnect watcher.
    if (this.#receiving === undefined) this.#changed();
  }

  /** Ends the connection that carries an answer; the client is to return for it. */
  closeSSEStream(requestId: RequestId): void {
    const stream = this.#streams.get(requestId);
    if (!stream || !this.#events || !this.#rules?.polling) return;
    if (stream.undecided) this.#becomeStream(stream.undecided);
    this.#pause(stream);
  }

  /** Ends the connection of the standing stream; the client may return to it. */
  closeStandaloneSSEStream(): void {
    if (this.#standingStream) this.#pause(this.#standingStream);
  }
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const { undecided } of this.#streams.streams())
      if (undecided) refuse(undecided.reply, REFUSED.closedEarly, undecided.headers);
    for (const stream of this.#open) void stream.end();
    this.#streams.clear();
    this.#open = NONE;
    this.#changed();
    this.#side.onclose?.();
    this.#shared.onclosed?.(this.sessionId);
  }
  tick(now: number): void {
    const { streamAfterMs, keepAliveMs, jsonOnly } = this.#shared;
    if (!jsonOnly)
      for (const { undecided } of this.#streams.streams())
        if (undecided && now - undecided.since >= streamAfterMs) this.#becomeStream(undecided);
    for (const stream of this.#open) if (!keepOpen(stream, now, keepAliveMs)) this.#pause(stream);
  }

  // ---- incoming

  onunanswered(post: PendingPost): void {
    const { stream } = post;
    if (this.#closed) return;
    if (stream.undecided && stream.owed > 0 && this.#isResumable(post)) this.#becomeStream(post);
    if (stream.undecided) this.#finishIfDone(stream);
    this.#watch(post);
    this.#changed();
  }

  /** Watches a POST that was not answered at once: for silence, and for a disconnect. */
  #watch(post: PendingPost): void {
    if (post.stream.owed === 0 || post.since < Number.POSITIVE_INFINITY) return;
    post.since = this.#shared.clock.now();
    post.reply.onabort(() => this.#left(post));
  }
  #isResumable(post: PendingPost): boolean {
    return this.#events !== undefined && !this.#shared.jsonOnly && mayBeResumed(post, this.#rules);
  }

  /** Lets the handler of the first request close the connections that its client can return to. */
  #addControls(extra: MessageExtraInfo, id: RequestId | undefined, stream: SessionStream): void {
    if (!this.#events || !this.#rules?.polling || id === undefined) return;
    extra.closeSSEStream = () => (this.#streams.get(id) === stream ? this.closeSSEStream(id) : undefined);
    extra.closeStandaloneSSEStream = () => this.closeStandaloneSSEStream();
  }

  /** The client has cancelled the request: it gets no answer. */
  #abandon(id: RequestId): void {
    const stream = this.#streams.get(id);
    if (!stream) return;
    this.#streams.delete(id);
    const post = stream.undecided;
    stream.isAbandoned = true;
    // A stream without events is the only reply that gives no answer.
    if (post && post.answers.length === 0 && stream.owed === 0) this.#becomeStream(post);
    this.#finishIfDone(stream);
  }

  /** The client of a POST has disconnected, which cancels only requests that name their own revision. */
  #left({ stream, sink, rules }: PendingPost): void {
    stream.undecided = undefined;
    if (sink) this.#detach(stream, sink);
    for (const requestId of rules ? this.#streams.idsOf(stream) : []) {
      this.#streams.delete(requestId);
      this.#side.onmessage?.(cancellationOf(requestId, 'The client closed the connection.'));
    }
    this.#changed();
  }

  async #resume(lastEventId: string, events: SessionEvents, to: Reader): Promise<void> {
    const { reply, headers } = to;
    const id = await events.streamOf(lastEventId);
    if (id === undefined) return refuse(reply, REFUSED.foreignEvent, headers);
    const live: OutgoingStream | undefined =
      id === STANDING
        ? this.#standing
        : [...this.#streams.streams(), ...this.#open, ...this.#ending].find((stream) => stream.id === id);
    if (live === undefined && (await events.shared?.read(id))?.length === 0)
      return refuse(reply, REFUSED.forgottenStream, headers);
    const stream = live ?? this.#follow(id) ?? new SessionStream(id, this.#events, this);
    const sink = this.#connect(stream, to);
    const hasAnswer = await stream.resume(sink, lastEventId);
    if (!(stream instanceof SessionStream)) return this.#changed();
    // A stream without requests here has ended, or another node serves it: the client returns to find out.
    const isOver = live === undefined || (id !== STANDING && live instanceof SessionStream && live.owed === 0);
    if (isOver && hasAnswer) void stream.end();
    else if (isOver) stream.pause(this.#shared.retryMs);
    if (isOver) this.#open.delete(stream);
    this.#changed();
  }

  // ---- outgoing

  /** Returns whether pending requests or streams may have changed. */
  #sendOne(message: JSONRPCMessage, related: RequestId | undefined): boolean {
    const kind = kindOf(message);
    if (kind === 'result' || kind === 'error') {
      this.#answerAll([message as JSONRPCResponse], this.#receiving);
      return true;
    }
    const stream = related === undefined ? undefined : this.#streams.get(related);
    const post = stream?.undecided;
    if (post && this.#shared.jsonOnly) {
      if (kind === 'request') throw cannotAsk('This session answers with JSON only, so the client cannot be asked.');
      return false;
    }
    if (post) this.#becomeStream(post);
    const target = stream ?? this.#standing;
    if (!target.isOpen && !this.#events && kind === 'request')
      throw cannotAsk('The client has no open stream on which it could be asked.');
    target.send(message);
    return stream !== undefined;
  }

  /** Sends answers of one request or batch. One without an id goes with the others, or concerns the POST as a whole. */
  #answerAll(answers: readonly JSONRPCResponse[], refused?: PendingPost): void {
    const named = answers.find(({ id }) => isNamed(id) && this.#streams.has(id));
    const stream = (isNamed(named?.id) && this.#streams.get(named.id)) || this.#receiving?.stream;
    if (!stream) return;
    const post = stream.undecided;
    for (const answer of answers) {
      const { id } = answer;
      if (isNamed(id)) {
        // An answer to a request that is no longer pending, such as a cancelled one, is not one to this POST.
        if (!this.#streams.has(id) && post && !post.isBatch && post.requests.length > 0) continue;
      } else if (refused && post === refused && 'error' in answer) {
        post.refusal = answer;
        continue;
      }
      // Throws for a result that is no JSON, while its request is pending: the peer answers with an error then.
      if (post) addAnswer(post, answer);
      else stream.send(answer);
      if (isNamed(id)) this.#streams.delete(id);
    }
    if (!post || post !== this.#receiving) this.#finishIfDone(stream);
  }

  #finishIfDone(stream: SessionStream): void {
    if (stream.owed > 0 || stream === this.#standingStream) return;
    const post = stream.undecided;
    stream.undecided = undefined;
    if (post && !this.#isResumable(post)) return respond(post, this.#rules, headersOf(post, this.sessionId));
    if (post) this.#becomeStream(post);
    this.#open.delete(stream);
    const ended = stream.end();
    if (ended === undefined) return;
    this.#ending = withStream(this.#ending, stream);
    void ended.then(() => this.#ending.delete(stream));
  }

  #becomeStream(post: PendingPost): void {
    const { stream, reply, headers, answers, requests } = post;
    stream.undecided = undefined;
    // A stream that has all its answers ends before it could be ticked.
    if (stream.owed > 0) this.#open = withStream(this.#open, stream);
    this.#watch(post);
    const isWhole = stream.owed === 0 && this.#events?.isPrimedByStore === true;
    post.sink = isWhole ? wholeStream(post) : reply.open(200, streamHeaders(headers));
    const owed = requests.map(({ id }) => id);
    stream.attach(post.sink, this.#primed(), owed, answers.length > 0);
    for (const answer of answers) stream.send(answer, answers.length === 1 ? post.text : undefined);
  }

  // ---- streams

  get #standing(): OutgoingStream {
    return (this.#standingStream ??= this.#follow(STANDING) ?? new SessionStream(STANDING, this.#events, this));
  }

  #primed(): { retryMs: number } | undefined {
    return this.#rules?.polling && this.#events ? { retryMs: this.#shared.retryMs } : undefined;
  }
  nextName(): string {
    return (this.#names ??= new StreamNames(this.#nodes && `${this.#nodes.id}-`)).next();
  }
  onproblem(error: Error): void {
    this.#side.onerror?.(error);
  }

  /** A stream on which other nodes may send; `undefined` when there are none. */
  #follow(id: string): OutgoingStream | undefined {
    if (!this.#nodes) return undefined;
    const onover = (stream: OutgoingStream): void => {
      this.#open.delete(stream);
      this.#changed();
    };
    const tells = { onover, onproblem: (error: Error) => this.onproblem(error), retryMs: this.#shared.retryMs };
    return this.#events?.shared?.follow(id, this.#nodes, tells);
  }

  /** Opens a connection for a stream; the stream outlives it. */
  #connect(stream: OutgoingStream, { reply, headers, until }: Reader): HttpStream {
    const sink = reply.open(200, streamHeaders(headers), true);
    stream.until = until;
    this.#open = withStream(this.#open, stream);
    reply.onabort(() => {
      this.#detach(stream, sink);
      this.#changed();
    });
    return sink;
  }
  #detach(stream: OutgoingStream, sink: HttpStream): void {
    stream.detach(sink);
    if (!stream.isOpen) this.#open.delete(stream);
  }

  #pause(stream: OutgoingStream): void {
    this.#open.delete(stream);
    stream.pause(this.#shared.retryMs);
    this.#changed();
  }

  /** Ticks only while requests are pending or streams are open. */
  #changed(): void {
    const { ticker, work } = this.#shared;
    if (this.#streams.size > 0) work?.add(this);
    else work?.delete(this);
    if (this.isActive) return ticker.add(this);
    ticker.delete(this);
    this.#open = NONE;
    this.#streams = NO_WORK;
    if (!this.#closed && this.#receiving === undefined) this.#onidle?.();
  }
}
