import {
  StreamableHTTPClientTransport as NewTransport,
  type StreamableHTTPReconnectionOptions,
} from 'crosspoint/client';
import { HttpTransport, limited, type HttpTransportOptions } from '../internal/client/http-transport.ts';
import { StreamableHTTPError } from '../internal/client/old-errors.ts';
import { contain } from '../internal/shared/contain.ts';
import { mediaTypeEssence } from '../shared/mediaType.ts';
import type { Transport, TransportSendOptions } from '../shared/transport.ts';
import { isInitializedNotification, isJSONRPCRequest, type JSONRPCMessage } from '../types.ts';
import { extractWWWAuthenticateParams } from './auth.ts';

export { StreamableHTTPError, type StreamableHTTPReconnectionOptions };

/** How a stream is opened or resumed. */
export interface StartSSEOptions {
  /** Id of the last event that was read. */
  resumptionToken?: string | undefined;
  onresumptiontoken?: ((token: string) => void) | undefined;
  /** Id of the request whose answer the stream resumes. */
  replayMessageId?: string | number | undefined;
}

export interface StreamableHTTPClientTransportOptions extends HttpTransportOptions {
  /** Delays and number of attempts when a stream is lost. Default: from 1 s by a factor of 1.5 up to 30 s, two attempts. */
  reconnectionOptions?: StreamableHTTPReconnectionOptions | undefined;
  /** Id of a session opened earlier; it is continued without another handshake. */
  sessionId?: string | undefined;
}

type Messages = JSONRPCMessage | readonly JSONRPCMessage[];

const RECONNECTION: StreamableHTTPReconnectionOptions = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 2,
};
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Streamable HTTP in the way of v1: `send` resolves when the server has accepted a message, failures are also told to `onerror`, and a lost
 * stream is opened again as `reconnectionOptions` say. Revisions without sessions are left to the transport of `crosspoint/client`.
 */
export class StreamableHTTPClientTransport extends HttpTransport implements Transport {
  readonly restartable = true as const;
  readonly renewable = true as const;
  readonly hasHeaders = true as const;
  readonly lastFailure: undefined;
  namedBy: Transport['namedBy'];
  private _sessionId: string | undefined;
  private readonly _givenSessionId: string | undefined;
  private readonly _reconnectionOptions: StreamableHTTPReconnectionOptions;
  private _lastUpscopingHeader: string | undefined;
  private _serverRetryMs: number | undefined;
  private _reconnectionTimeout: ReturnType<typeof setTimeout> | undefined;
  /** Sends the messages of revisions without sessions. */
  private readonly _newer: NewTransport;
  private _usesNewer = false;

  constructor(url: URL | string, opts: StreamableHTTPClientTransportOptions = {}) {
    super(url, opts);
    this._sessionId = this._givenSessionId = opts.sessionId;
    this._reconnectionOptions = opts.reconnectionOptions ?? RECONNECTION;
    this._newer = this._makeNewer(opts);
  }

  get sessionId(): string | undefined {
    return this._sessionId;
  }

  get protocolVersion(): string | undefined {
    return this._protocolVersion;
  }

  get identity(): string {
    return this._newer.identity;
  }

  get resumed(): { readonly protocolVersion: string | undefined } | undefined {
    const isGiven = this._sessionId !== undefined && this._sessionId === this._givenSessionId;
    return isGiven ? { protocolVersion: this._protocolVersion } : undefined;
  }

  setHttpRules(rules: Parameters<NewTransport['setHttpRules']>[0]): void {
    this._usesNewer = rules.streamable && !rules.sessions;
    this._newer.setHttpRules(rules);
  }

  async start(): Promise<void> {
    if (this._abortController)
      throw new Error(
        'StreamableHTTPClientTransport already started! If using Client class, note that connect() calls start() automatically.',
      );
    this._abortController = new AbortController();
    await this._newer.start();
  }

  async close(): Promise<void> {
    clearTimeout(this._reconnectionTimeout);
    this._reconnectionTimeout = undefined;
    this._abortController?.abort();
    await this._newer.close();
    contain(() => this.onclose?.(), this._problem);
  }

  async send(message: Messages, options: TransportSendOptions = {}): Promise<void> {
    if (this._usesNewer) return this._newer.send(message as Parameters<NewTransport['send']>[0], options);
    try {
      const { resumptionToken, onresumptiontoken } = options;
      if (resumptionToken) {
        const replayMessageId = isJSONRPCRequest(message) ? message.id : undefined;
        // A failure is told to `onerror`.
        this._startOrAuthSse({ resumptionToken, onresumptiontoken, replayMessageId }).catch(() => {});
        return;
      }
      const response = await this._post(message);
      await this._readAnswer(message, response, { onresumptiontoken });
    } catch (error) {
      this._problem(error);
      throw error;
    }
  }

  /** Sends DELETE for the session. A server that does not allow that (405) keeps it. */
  async terminateSession(): Promise<void> {
    if (this._sessionId === undefined) return;
    try {
      const headers = await this._commonHeaders();
      const signal = this._abortController?.signal ?? null;
      const response = await this._request(this._url, {
        ...this._options.requestInit,
        method: 'DELETE',
        headers,
        signal,
      });
      await response.body?.cancel();
      if (!response.ok && response.status !== 405) throw this._failure(response, 'Failed to terminate session');
      this._sessionId = undefined;
    } catch (error) {
      this._problem(error);
      throw error;
    }
  }

  /** Reads the events after `lastEventId`, for a program that stored a resumption token. */
  async resumeStream(
    lastEventId: string,
    options: { onresumptiontoken?: (token: string) => void } = {},
  ): Promise<void> {
    await this._startOrAuthSse({ resumptionToken: lastEventId, onresumptiontoken: options.onresumptiontoken });
  }

  /** Posts a message, logging in where the server asks for it, until it is accepted or refused for good. */
  private async _post(message: Messages): Promise<Response> {
    for (let hasLoggedIn = false; ;) {
      const response = await this._postMessage(this._url, message, 'application/json, text/event-stream');
      this._sessionId = response.headers.get('mcp-session-id') ?? this._sessionId;
      if (response.ok) {
        this._lastUpscopingHeader = undefined;
        return response;
      }
      const text = await limited(response, this._maxBytes)
        .text()
        .catch(() => null);
      if (response.status === 401 && this._options.authProvider) {
        if (hasLoggedIn) throw new StreamableHTTPError(401, 'Server returned 401 after successful authentication');
        this._noteRefusal(response);
        await this._logIn();
        hasLoggedIn = true;
      } else if (!(await this._gotMoreScopes(response)))
        throw this._failure(response, 'Error POSTing to endpoint', text);
    }
  }

  /** After a 403 for want of scopes: obtains more, once for each challenge. `false` when the refusal is about something else. */
  private async _gotMoreScopes(response: Response): Promise<boolean> {
    if (response.status !== 403 || !this._options.authProvider) return false;
    const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response);
    if (error !== 'insufficient_scope') return false;
    const challenge = response.headers.get('www-authenticate') ?? undefined;
    if (this._lastUpscopingHeader === challenge)
      throw new StreamableHTTPError(403, 'Server returned 403 after trying upscoping');
    this._lastUpscopingHeader = challenge;
    this._scope = scope ?? this._scope;
    this._resourceMetadataUrl = resourceMetadataUrl ?? this._resourceMetadataUrl;
    await this._logIn();
    return true;
  }

  private async _readAnswer(message: Messages, response: Response, options: StartSSEOptions): Promise<void> {
    const messages = Array.isArray(message) ? (message as JSONRPCMessage[]) : [message as JSONRPCMessage];
    const isAsking = messages.some((each) => 'method' in each && 'id' in each);
    if (response.status === 202 || !isAsking) {
      await response.body?.cancel();
      // The standing stream is optional: its failure is told to `onerror`.
      if (response.status === 202 && isInitializedNotification(message)) this._startOrAuthSse({}).catch(() => {});
      return;
    }
    const type = response.headers.get('content-type');
    const essence = mediaTypeEssence(type);
    if (essence === 'application/json') this._deliver(await limited(response, this._maxBytes).json());
    else if (essence === 'text/event-stream') void this._readStream(response.body, options, false);
    else {
      await response.body?.cancel();
      throw new StreamableHTTPError(-1, `Unexpected content type: ${type}`);
    }
  }

  /** Opens a stream with GET. A server without such streams (405) is no failure. */
  private async _startOrAuthSse(options: StartSSEOptions, hasLoggedIn = false): Promise<void> {
    try {
      const response = await this._get(options.resumptionToken);
      if (response.ok) return void this._readStream(response.body, options, true);
      await response.body?.cancel();
      if (response.status === 405) return;
      if (response.status !== 401 || !this._options.authProvider || hasLoggedIn)
        throw this._failure(response, 'Failed to open SSE stream');
      await this._logIn();
    } catch (error) {
      this._problem(error);
      throw error;
    }
    await this._startOrAuthSse(options, true);
  }

  private async _get(lastEventId: string | undefined): Promise<Response> {
    const headers = await this._commonHeaders();
    headers.set('accept', 'text/event-stream');
    if (lastEventId) headers.set('last-event-id', lastEventId);
    return this._request(this._url, { method: 'GET', headers, signal: this._abortController?.signal ?? null });
  }

  /** Delivers the messages of a stream. A stream that is lost before its answer is opened again, where it can be resumed. */
  private async _readStream(
    body: ReadableStream<Uint8Array> | null | undefined,
    options: StartSSEOptions,
    isReconnectable: boolean,
  ): Promise<void> {
    if (!body) return;
    const { onresumptiontoken, replayMessageId } = options;
    let { resumptionToken } = options;
    let isAnswered = false;
    const adopt = (answer: { id?: unknown }): void => {
      isAnswered = true;
      if (replayMessageId !== undefined) answer.id = replayMessageId;
    };
    try {
      await NewTransport.readEvents(body, {
        maxBytes: this._maxBytes,
        onretry: (ms) => (this._serverRetryMs = Math.min(ms, LONGEST_TIMER_MS)),
        onevent: ({ id, event, data }) => {
          if (id) {
            resumptionToken = id;
            contain(() => onresumptiontoken?.(id), this._problem);
          }
          if (data && (!event || event === 'message')) this._takeEvent(data, adopt);
        },
      });
    } catch (error) {
      if (this._isOver) return;
      this._problem(new Error(`SSE stream disconnected: ${String(error)}`, { cause: error }));
    }
    const isResumable = isReconnectable || resumptionToken !== undefined;
    if (isResumable && !isAnswered && this._abortController && !this._isOver)
      this._scheduleReconnection({ resumptionToken, onresumptiontoken, replayMessageId });
  }

  private _takeEvent(data: string, onanswer: (message: { id?: unknown }) => void): void {
    try {
      this._deliver(JSON.parse(data), onanswer);
    } catch (error) {
      this._problem(error);
    }
  }

  private _scheduleReconnection(options: StartSSEOptions, attempt = 0): void {
    const { maxRetries } = this._reconnectionOptions;
    if (attempt >= maxRetries)
      return this._problem(new Error(`Maximum reconnection attempts (${maxRetries}) exceeded.`));
    const timer = setTimeout(() => {
      this._startOrAuthSse(options).catch((error: unknown) => {
        if (this._isOver) return;
        this._problem(new Error(`Failed to reconnect SSE stream: ${(error as Error).message}`, { cause: error }));
        this._scheduleReconnection(options, attempt + 1);
      });
    }, this._getNextReconnectionDelay(attempt));
    this._reconnectionTimeout = timer;
    this._abortController?.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }

  /** Milliseconds before an attempt, counted from 0. A delay that the server named takes precedence. */
  private _getNextReconnectionDelay(attempt: number): number {
    const { initialReconnectionDelay, reconnectionDelayGrowFactor, maxReconnectionDelay } = this._reconnectionOptions;
    const grown = initialReconnectionDelay * reconnectionDelayGrowFactor ** attempt;
    return this._serverRetryMs ?? Math.min(grown, maxReconnectionDelay);
  }

  private get _isOver(): boolean {
    return this._abortController?.signal.aborted === true;
  }

  private _failure(response: Response, what: string, text: string | null = response.statusText): StreamableHTTPError {
    const said = this._unfollowedRedirect(response, this._url) ?? text;
    return new StreamableHTTPError(response.status, `${what}: ${said}`);
  }

  protected override _sessionHeaders(): Record<string, string> {
    const session: Record<string, string> = this._sessionId ? { 'mcp-session-id': this._sessionId } : {};
    return { ...session, ...super._sessionHeaders() };
  }

  private _makeNewer(options: StreamableHTTPClientTransportOptions): NewTransport {
    const newer = new NewTransport(this._url, options);
    newer.onmessage = (message) => this.onmessage?.(message);
    newer.onerror = this._problem;
    newer.onwaiting = (isWaiting) => this.onwaiting?.(isWaiting);
    newer.namedBy = (method) => this.namedBy?.(method);
    return newer;
  }
}
