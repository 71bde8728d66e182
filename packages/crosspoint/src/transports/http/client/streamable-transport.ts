import {
  isJsonObject,
  type JSONRPCBatch,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '../../../jsonrpc/message.ts';
import { serialise } from '../../../jsonrpc/serialise.ts';
import { systemClock, type Clock } from '../../../peer/clock.ts';
import { ProblemReports } from '../../../peer/problem-reports.ts';
import { TransportError } from '../../../protocol/errors.ts';
import { attempt } from '../../../runtime/guard.ts';
import { RenewedSet } from '../../../runtime/renewed-set.ts';
import type { HttpRules } from '../../../revisions/revision.ts';
import type { MessageExtraInfo, RestartableTransport, Transport, TransportSendOptions } from '../../transport.ts';
import { extensionsOf, finishAuth, followWaiting } from './auth.ts';
import { isAnswer, sendAnswer } from './answer-retry.ts';
import { discard, readStart } from './body.ts';
import { AnswerReader, type AnswerReaderPort } from './answer-reader.ts';
import {
  brokenStream,
  describeFailure,
  httpError,
  notOpen,
  saysSessionLost,
  sessionLost,
  shownUrl,
} from './describe-failure.ts';
import { httpFailureOf } from './http-failure.ts';
import { ACCEPT_BOTH, ACCEPT_STREAM, lowerCased, mirrorBody, nameVersion, type PlainHeaders } from './headers.ts';
import { endpointIdentity } from './identity.ts';
import { ASKING_CAPABILITIES, isDiscovery, cancelledBy, endsHandshake, beginsHandshake } from './message-checks.ts';
import {
  ACCEPT_MS,
  MAX_MESSAGE_BYTES,
  reconnection,
  type StreamableHTTPClientTransportOptions,
  type StreamableHTTPReconnectionOptions,
} from './options.ts';
import { resume, type ResumePort } from './resume.ts';
import { HttpSender } from './sender.ts';
import { StandingStream } from './standing-stream.ts';

/** State from `start` to `close`. */
interface Run {
  readonly readers: RenewedSet<AnswerReader>;
  readonly standing: StandingStream;
  isOver: boolean;
  /** Pending while the server has not yet accepted `notifications/initialized`. */
  opening: Promise<void> | undefined;
  /** Whether the client declared a capability by which the server may ask it something. */
  isAskable: boolean;
}

/** How long to wait for the answer to the GET of the standing stream. */
const STANDING_MS = 250;

/** How long a stream may stay open after its last answer: its end makes the connection reusable. */
const DRAIN_MS = 1000;
const TERMINATE_MS = 2000;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/**
 * Streamable HTTP: every message is a POST, answered by a JSON body or a stream. `setHttpRules` sets the HTTP rules of the revision; before
 * that, those of the revisions with a handshake apply. It can be started again after it has closed.
 */
export class PlainStreamableTransport implements RestartableTransport {
  onclose: (() => void) | undefined;
  onwaiting: ((isWaiting: boolean) => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  readonly restartable = true as const;
  readonly renewable = true as const;
  readonly hasHeaders = true as const;
  readonly identity: string;
  namedBy: Transport['namedBy'];
  lastFailure: Error | undefined;
  /** Whether closing sends DELETE for the session. Set it to `false` for a session that another process is to go on with. */
  endsSession: boolean;
  readonly #url: URL;
  readonly #options: StreamableHTTPClientTransportOptions;
  readonly #reconnection: StreamableHTTPReconnectionOptions;
  readonly #sender: HttpSender;
  readonly #readerPort: AnswerReaderPort;
  /** A POST to the server, for messages of errors. */
  readonly #posting: string;
  readonly #clock: Clock;
  readonly #problems: ProblemReports;
  #run: Run | undefined;
  #rules: HttpRules | undefined;
  #protocolVersion: string | undefined;
  #sessionId: string | undefined;

  constructor(url: URL | string, options: StreamableHTTPClientTransportOptions & { endsSession?: boolean } = {}) {
    this.#url = new URL(url);
    this.identity = endpointIdentity(this.#url);
    this.#options = options;
    this.endsSession = options.endsSession === true;
    this.#reconnection = reconnection(options.reconnectionOptions);
    this.#sender = new HttpSender(options);
    followWaiting(options.authProvider, (isWaiting) => this.onwaiting?.(isWaiting));
    this.#clock = options.clock ?? systemClock;
    this.#problems = new ProblemReports(this.#clock, (problem) => this.onerror?.(problem));
    this.#sessionId = options.sessionId;
    this.#posting = `POST ${shownUrl(this.#url)}`;
    const { maxMessageBytes: maxBytes = MAX_MESSAGE_BYTES, requestInit, fetch } = options;
    this.#readerPort = {
      maxBytes,
      newController: requestInit?.signal ? undefined : fetch?.newController,
      deliver: (message, extra) => this.onmessage?.(message, extra),
      onproblem: (error) => this.#problem(error),
    };
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  get resumed(): { readonly protocolVersion: string | undefined } | undefined {
    const { sessionId, protocolVersion } = this.#options;
    return sessionId === undefined || this.#sessionId !== sessionId ? undefined : { protocolVersion };
  }

  get protocolVersion(): string | undefined {
    return this.#protocolVersion;
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
  }

  setHttpRules(rules: HttpRules): void {
    this.#rules = rules;
  }

  async start(): Promise<void> {
    if (this.#run !== undefined)
      throw new TypeError('The transport was already started; connecting a client starts it.');
    const standing = new StandingStream({ ...this.#readerPort, ...this.#resuming() });
    this.#run = { readers: new RenewedSet(), standing, isOver: false, opening: undefined, isAskable: false };
    this.lastFailure = undefined;
  }

  /** Messages are separate requests and could overtake each other: those after a handshake wait until it is accepted. */
  send(message: JSONRPCMessage | JSONRPCBatch, options: TransportSendOptions = {}): Promise<void> {
    const run = this.#run;
    if (run === undefined) return Promise.reject(notOpen());
    if (!endsHandshake(message)) {
      const go = (): Promise<void> => (run.isOver ? Promise.reject(notOpen()) : this.#send(run, message, options));
      return run.opening === undefined ? go() : run.opening.then(go);
    }
    const sent = this.#send(run, message, options);
    const opening = sent
      .catch(() => {})
      .finally(() => {
        if (run.opening === opening) run.opening = undefined;
      });
    run.opening = opening;
    return sent;
  }

  async #send(run: Run, message: JSONRPCMessage | JSONRPCBatch, options: TransportSendOptions): Promise<void> {
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined && this.#rules?.cancelsByClosing === true)
      return readerOf(run, cancelled)?.controller.abort();
    if (beginsHandshake(message)) this.#beginSession(run, message);
    const messages = Array.isArray(message) ? (message as JSONRPCMessage[]) : [message as JSONRPCMessage];
    const [first] = messages;
    const isResumed = options.resumptionToken !== undefined;
    const adopts = isResumed && first !== undefined && 'id' in first ? (first.id ?? undefined) : undefined;
    const reader = new AnswerReader(messages, this.#readerPort, { ontoken: options.onresumptiontoken, adopts });
    run.readers.add(reader);
    const owes = !reader.isAnswered;
    let drain: unknown;
    reader.onanswered = () => (drain = this.#clock.setTimeout(() => reader.controller.abort(), DRAIN_MS));
    try {
      if (options.resumptionToken === undefined) await this.#post(run, reader, message, options.headers);
      else await this.#resume(reader, options.resumptionToken);
      run.standing.revive();
    } catch (error) {
      const isMoot = owes ? reader.isAnswered : run.isOver;
      if (!isMoot) throw this.#judge(run, error, isResumed ? [] : [...reader.owed]);
    } finally {
      this.#clock.clearTimeout(drain);
      run.readers.delete(reader);
      // No answer will come for a cancelled request, so its POST is aborted.
      if (cancelled !== undefined) readerOf(run, cancelled)?.controller.abort();
    }
  }

  async close(): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    this.#run = undefined;
    run.isOver = true;
    run.standing.close();
    for (const reader of run.readers) reader.controller.abort();
    if (this.endsSession && this.#sessionId !== undefined) await this.#endSession();
    this.#protocolVersion = undefined;
    attempt(() => this.onclose?.(), this.#problem);
  }

  /** Sends DELETE for the session. The statuses 404 and 405 count as success. */
  async terminateSession(signal: AbortSignal = new AbortController().signal): Promise<void> {
    const session = this.#sessionId;
    if (session === undefined) return;
    const request = { method: 'DELETE', headers: this.#headers(undefined), signal, repeatable: true } as const;
    const response = await this.#sender.send(this.#url, request);
    if (!response.ok && response.status !== 405 && response.status !== 404)
      throw httpError(`DELETE ${shownUrl(this.#url)}`, describeFailure(response, await readStart(response)));
    await response.body?.cancel();
    if (this.#sessionId === session) this.#sessionId = undefined;
  }

  /** Completes a login that a refused request started, with the query of the redirect or its code (and `iss`). */
  finishAuth(answer: URLSearchParams | string, iss?: string): Promise<void> {
    return finishAuth(this.#options.authProvider, answer, iss);
  }

  get extensions(): readonly string[] {
    return extensionsOf(this.#options.authProvider);
  }

  /** Reads the events after `lastEventId`, for a program that stored a resumption token. */
  async resumeStream(
    lastEventId: string,
    options: { onresumptiontoken?: (token: string) => void } = {},
  ): Promise<void> {
    const reader = new AnswerReader([], this.#readerPort, { ontoken: options.onresumptiontoken });
    this.#run?.readers.add(reader);
    const body = await this.#get(lastEventId, reader.controller.signal);
    void reader
      .readStream(body)
      .catch(() => {})
      .finally(() => this.#run?.readers.delete(reader));
  }

  async #post(
    run: Run,
    reader: AnswerReader,
    message: JSONRPCMessage | JSONRPCBatch,
    own: Readonly<Record<string, string>> | undefined,
  ): Promise<void> {
    const single = Array.isArray(message) ? undefined : (message as JSONRPCMessage);
    // Those of the protocol take precedence over own ones.
    const headers = this.#headers(single, own === undefined ? {} : lowerCased(own));
    headers['accept'] = ACCEPT_BOTH;
    headers['content-type'] = 'application/json';
    if (single !== undefined) mirrorBody(headers, single, this.#rules, this.namedBy);
    const body = serialise(message);
    const { signal } = reader.controller;
    const repeatable = single !== undefined && isDiscovery(single);
    const limitMs = reader.isAnswered ? ACCEPT_MS : undefined;
    const send = (): Promise<Response> =>
      this.#sender.send(this.#url, { method: 'POST', headers, body, signal, repeatable, limitMs });
    const response = await (isAnswer(message) ? sendAnswer(send, this.#clock, signal) : send());
    if (!response.ok) throw httpError(this.#posting, describeFailure(response, await readStart(response)));
    if (beginsHandshake(message)) this.#keepSession(response);
    // Some servers answer a request with 202 and send the result on the standing stream.
    if (reader.isAnswered || (response.status === 202 && run.standing.isOpen)) {
      await discard(response, this.#clock);
      if (endsHandshake(message) && this.#hasSessions && run === this.#run) await this.#listen(run);
      return;
    }
    await this.#read(reader, response);
  }

  /** Many servers ask on the standing stream, and skip their questions when it is not open yet. */
  async #listen(run: Run): Promise<void> {
    run.standing.open();
    if (!run.isAskable) return;
    let timer: unknown;
    const late = new Promise<void>((resolve) => (timer = this.#clock.setTimeout(resolve, STANDING_MS)));
    await Promise.race([run.standing.answered, late]);
    this.#clock.clearTimeout(timer);
  }

  async #read(reader: AnswerReader, response: Response): Promise<void> {
    let cause: unknown;
    try {
      await reader.read(response, this.#posting);
    } catch (error) {
      if (error instanceof TransportError) throw error;
      cause = error;
    }
    if (reader.isAnswered) return;
    const { lastEventId } = reader.position;
    if (reader.controller.signal.aborted || lastEventId === undefined || !this.#hasSessions)
      throw brokenStream(this.#posting, cause);
    await this.#resume(reader, lastEventId);
  }

  #resuming(): ResumePort {
    return { clock: this.#clock, reconnection: this.#reconnection, get: this.#get.bind(this) };
  }

  async #resume(reader: AnswerReader, lastEventId: string): Promise<void> {
    reader.position.lastEventId = lastEventId;
    try {
      await resume(reader, this.#resuming());
    } catch (error) {
      if (
        error instanceof TransportError &&
        (error.code === 'session-lost' || error.code === 'unauthorized' || error.code === 'aborted')
      )
        throw error;
      throw brokenStream(`GET ${shownUrl(this.#url)}`, error);
    }
  }

  /** `wasOpen`: the stream was open before. To a first GET, many servers answer 404, which says nothing about the session. */
  async #get(
    lastEventId: string | undefined,
    signal: AbortSignal,
    wasOpen = lastEventId !== undefined,
  ): Promise<ReadableStream<Uint8Array>> {
    const run = this.#run;
    const what = `GET ${shownUrl(this.#url)}`;
    const headers = this.#headers(undefined);
    headers['accept'] = ACCEPT_STREAM;
    if (lastEventId !== undefined) headers['last-event-id'] = lastEventId;
    const response = await this.#sender.send(this.#url, { method: 'GET', headers, signal, repeatable: true });
    const isStream = response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true;
    if (response.ok && isStream && response.body !== null) return response.body;
    const error = httpError(what, describeFailure(response, await readStart(response)));
    throw wasOpen && run !== undefined ? this.#judge(run, error) : error;
  }

  /**
   * Checks whether an error means that the server lost the session; then the session and the run end. `posted`: the
   * requests of the POST that the error answers, which were therefore not carried out.
   */
  #judge(run: Run, error: unknown, posted: readonly RequestId[] = []): unknown {
    if (!(error instanceof TransportError) || error.code !== 'http') return error;
    const failure = httpFailureOf(error);
    if (failure === undefined || this.#sessionId === undefined || run !== this.#run || !saysSessionLost(failure))
      return error;
    this.#sessionId = undefined;
    this.lastFailure = sessionLost(failure, error, posted);
    void this.close().catch((failed: unknown) => this.#problem(failed));
    return this.lastFailure;
  }

  /** A handshake starts afresh: without a session, and aborting earlier requests. */
  #beginSession(run: Run, { params }: JSONRPCRequest): void {
    const capabilities = params?.['capabilities'];
    run.isAskable = isJsonObject(capabilities) && ASKING_CAPABILITIES.some((name) => capabilities[name] !== undefined);
    this.#sessionId = undefined;
    this.#protocolVersion = undefined;
    for (const reader of run.readers) reader.controller.abort();
  }

  #keepSession(response: Response): void {
    const id = response.headers.get('mcp-session-id');
    if (id === null) return;
    const fault = 'The session id of the server has characters other than visible ASCII and is not used.';
    if (VISIBLE_ASCII.test(id)) this.#sessionId = id;
    else this.#problem(new TransportError('http', fault, { status: response.status }));
  }

  async #endSession(): Promise<void> {
    const controller = new AbortController();
    const timer = this.#clock.setTimeout(() => controller.abort(), TERMINATE_MS);
    try {
      await this.terminateSession(controller.signal);
    } catch (error) {
      this.#problem(error);
    } finally {
      this.#clock.clearTimeout(timer);
      this.#sessionId = undefined;
    }
  }

  readonly #problem = (problem: unknown): void => this.#problems.report(problem);

  /** Whether the revision has sessions, standing streams and resumption; assumed for revisions of other transports. */
  get #hasSessions(): boolean {
    return this.#rules === undefined || this.#rules.sessions || !this.#rules.streamable;
  }

  #headers(message: JSONRPCMessage | undefined, headers: PlainHeaders = {}): PlainHeaders {
    if (this.#sessionId !== undefined && this.#hasSessions) headers['mcp-session-id'] = this.#sessionId;
    nameVersion(headers, message, this.#rules, this.#protocolVersion);
    return headers;
  }
}

/** The reader of a request that was not answered yet. */
function readerOf({ readers }: Run, id: RequestId): AnswerReader | undefined {
  for (const reader of readers) if (reader.owed.has(id)) return reader;
  return undefined;
}
