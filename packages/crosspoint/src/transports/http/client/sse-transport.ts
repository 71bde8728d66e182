import type { EventSourceMessage } from 'eventsource-parser';
import type { JSONRPCBatch, JSONRPCMessage, RequestId } from '../../../jsonrpc/message.ts';
import { serialise } from '../../../jsonrpc/serialise.ts';
import { systemClock, type Clock } from '../../../peer/clock.ts';
import { ProblemReports } from '../../../peer/problem-reports.ts';
import { TransportError } from '../../../protocol/errors.ts';
import { attempt } from '../../../runtime/guard.ts';
import type { HttpRules } from '../../../revisions/revision.ts';
import type { MessageExtraInfo, RestartableTransport } from '../../transport.ts';
import { extensionsOf, finishAuth, followWaiting } from './auth.ts';
import { discard, readEvents, readStart } from './body.ts';
import {
  describeFailure,
  httpError,
  networkError,
  saysSessionLost,
  sessionLost,
  shownUrl,
} from './describe-failure.ts';
import { ACCEPT_STREAM, nameVersion, type PlainHeaders } from './headers.ts';
import { endpointIdentity } from './identity.ts';
import { cancelledBy } from './message-checks.ts';
import { ACCEPT_MS, MAX_MESSAGE_BYTES, type SSEClientTransportOptions } from './options.ts';
import { HttpSender } from './sender.ts';

interface Run {
  readonly controller: AbortController;
  /** Address to post to, once the server has named it. */
  endpoint: URL | undefined;
  /** POST requests not accepted yet; those of requests by their id. */
  readonly posts: Map<RequestId | AbortController, AbortController>;
}

/**
 * The older HTTP+SSE transport: a stream to read from, whose first event names the endpoint to post to. It can be started again after it
 * has closed.
 *
 * @deprecated HTTP+SSE was replaced by Streamable HTTP and is deprecated by SEP-2596; the earliest removal is three months after that
 * became final.
 */
export class PlainSseTransport implements RestartableTransport {
  onclose: (() => void) | undefined;
  onwaiting: ((isWaiting: boolean) => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  readonly restartable = true as const;
  readonly renewable = true as const;
  readonly hasTwoEndpoints = true as const;
  readonly identity: string;
  lastFailure: Error | undefined;
  readonly #url: URL;
  readonly #options: SSEClientTransportOptions;
  readonly #sender: HttpSender;
  readonly #clock: Clock;
  readonly #problems: ProblemReports;
  #run: Run | undefined;
  #rules: HttpRules | undefined;
  #protocolVersion: string | undefined;

  constructor(url: URL | string, options: SSEClientTransportOptions = {}) {
    this.#url = new URL(url);
    this.identity = endpointIdentity(this.#url);
    this.#options = options;
    this.#sender = new HttpSender(options);
    this.#clock = options.clock ?? systemClock;
    this.#problems = new ProblemReports(this.#clock, (problem) => this.onerror?.(problem));
    followWaiting(options.authProvider, (isWaiting) => this.onwaiting?.(isWaiting));
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
  }

  setHttpRules(rules: HttpRules): void {
    this.#rules = rules;
  }

  /** Resolves when the server has named its endpoint. */
  async start(): Promise<void> {
    if (this.#run !== undefined)
      throw new TypeError('The transport was already started; connecting a client starts it.');
    const run: Run = { controller: new AbortController(), endpoint: undefined, posts: new Map() };
    this.#run = run;
    this.lastFailure = undefined;
    this.#protocolVersion = undefined;
    try {
      const body = await this.#open(run);
      await new Promise<void>((resolve, reject) => void this.#read(run, body, resolve).then(reject, reject));
    } catch (error) {
      if (this.#run === run) await this.close();
      throw error;
    }
  }

  async send(message: JSONRPCMessage | JSONRPCBatch): Promise<void> {
    const run = this.#run;
    if (run?.endpoint === undefined)
      throw new TransportError('closed', 'The SSE transport is not connected: connect a client first.');
    const single = Array.isArray(message) ? undefined : (message as JSONRPCMessage);
    const asked = single !== undefined && 'method' in single && 'id' in single ? (single.id as RequestId) : undefined;
    // A cancelled request needs its POST no longer: aborting it frees the connection.
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) run.posts.get(cancelled)?.abort();
    const post = new AbortController();
    run.posts.set(asked ?? post, post);
    const headers: PlainHeaders = { 'content-type': 'application/json' };
    nameVersion(headers, single, this.#rules, this.#protocolVersion);
    try {
      const response = await this.#sender.send(run.endpoint, {
        method: 'POST',
        headers,
        body: serialise(message),
        signal: post.signal,
        limitMs: asked === undefined ? ACCEPT_MS : undefined,
      });
      if (!response.ok) throw await this.#refusal(run, asked, response);
      await discard(response, this.#clock);
    } finally {
      run.posts.delete(asked ?? post);
    }
  }

  /** An endpoint that does not know the session will not answer on the stream either, so the transport closes. */
  async #refusal(run: Run, asked: RequestId | undefined, response: Response): Promise<Error> {
    const failure = describeFailure(response, await readStart(response));
    const error = httpError(`POST ${shownUrl(run.endpoint ?? this.#url)}`, failure);
    if (run !== this.#run || !saysSessionLost(failure)) return error;
    this.lastFailure = sessionLost(failure, error, asked === undefined ? [] : [asked]);
    await this.close();
    return this.lastFailure;
  }

  async close(): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    this.#run = undefined;
    run.controller.abort();
    for (const post of run.posts.values()) post.abort();
    attempt(() => this.onclose?.(), this.#problem);
  }

  /** Completes a login that a refused request started, with the query of the redirect or with its code (and `iss`). */
  async finishAuth(answer: URLSearchParams | string, iss?: string): Promise<void> {
    await finishAuth(this.#options.authProvider, answer, iss);
  }

  get extensions(): readonly string[] {
    return extensionsOf(this.#options.authProvider);
  }

  async #open({ controller }: Run): Promise<ReadableStream<Uint8Array>> {
    const own = this.#options.eventSourceInit?.fetch;
    const sender = own === undefined ? this.#sender : new HttpSender({ ...this.#options, fetch: own });
    const response = await sender.send(this.#url, {
      method: 'GET',
      headers: { accept: ACCEPT_STREAM },
      signal: controller.signal,
      repeatable: true,
    });
    const isStream = response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true;
    if (response.ok && isStream && response.body !== null) return response.body;
    throw httpError(
      `GET ${shownUrl(this.#url)}`,
      describeFailure(response, await readStart(response)),
      'which is not an event stream',
    );
  }

  /** Reads until the stream ends, which ends the session. Resolves with the reason, after the transport has closed. */
  async #read(run: Run, body: ReadableStream<Uint8Array>, onready: () => void): Promise<Error> {
    const what = `The stream of ${shownUrl(this.#url)}`;
    let failure: Error | undefined;
    try {
      await readEvents(body, {
        maxBytes: this.#options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
        // A new stream is a new session, so there is nothing to resume.
        onretry: () => {},
        onevent: (event) => this.#onevent(run, event, onready),
      });
    } catch (error) {
      failure = error instanceof TransportError ? error : networkError(what, error);
    }
    failure ??= new TransportError(
      'closed',
      `${what} was ended by the server${run.endpoint === undefined ? ' before it named an endpoint' : ''}.`,
    );
    if (this.#run === run) {
      this.lastFailure = failure;
      await this.close();
    }
    return failure;
  }

  #onevent(run: Run, { event, data }: EventSourceMessage, onready: () => void): void {
    if (run !== this.#run) return;
    if (event === 'endpoint') {
      run.endpoint ??= this.#endpoint(data);
      return onready();
    }
    if (data === '' || (event !== undefined && event !== '' && event !== 'message')) return;
    let message: unknown;
    try {
      message = JSON.parse(data);
    } catch (error) {
      this.#problem(
        new TransportError(
          'bad-frame',
          'The data of an event is not JSON.',
          { start: data.slice(0, 200) },
          { cause: error },
        ),
      );
      return;
    }
    attempt(() => this.onmessage?.(message as JSONRPCMessage), this.#problem);
  }

  readonly #problem = (problem: unknown): void => this.#problems.report(problem);

  /** The endpoint to post to. One of another origin is refused, so that messages and credentials stay with this server. */
  #endpoint(data: string): URL {
    const endpoint = URL.canParse(data, this.#url.href) ? new URL(data, this.#url.href) : undefined;
    if (endpoint?.origin === this.#url.origin) return endpoint;
    throw new TransportError(
      'bad-frame',
      `The server named an endpoint outside ${this.#url.origin}, which is not used.`,
      { endpoint: endpoint === undefined ? data.slice(0, 200) : shownUrl(endpoint) },
    );
  }
}
