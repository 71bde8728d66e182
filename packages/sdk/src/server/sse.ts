import type { AuthInfo, JSONRPCMessage, MessageExtraInfo, Transport } from 'crosspoint';
import type { NodeRequest, NodeResponse } from 'crosspoint/server';
import { JSONRPCMessageSchema } from '../types.ts';
import { hostFault } from '../internal/server/http/allowed-requests.ts';
import { endOfToken, eventText } from '../internal/server/http/event-connection.ts';
import { nodeBody, nodeUrl } from '../internal/server/http/node-body.ts';
import { refuseRebound } from '../internal/server/rebound-requests.ts';
import { DEFAULT_SSE_KEEP_ALIVE_MS, armSseKeepAlive } from './sseKeepAlive.ts';

/** @deprecated HTTP+SSE is deprecated by SEP-2596; the earliest removal is three months after that became final. */
export interface SSEServerTransportOptions {
  /** The `Host` headers that are served, as clients write them. */
  allowedHosts?: string[];
  allowedOrigins?: string[];
  /** True checks the lists; false checks nothing, not even for DNS rebinding. */
  enableDnsRebindingProtection?: boolean;
}

/** Bytes that may wait for a slow reader before its stream is cut. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

/**
 * One client over HTTP+SSE. Hosts and origins of posted messages are checked against lists only with `enableDnsRebindingProtection: true`; messages
 * posted by DNS rebinding are refused unless that is `false`.
 *
 * @deprecated HTTP+SSE was replaced by Streamable HTTP and is deprecated by SEP-2596; the earliest removal is three months after that
 * became final.
 */
export class SSEServerTransport implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  readonly sessionId: string = crypto.randomUUID();
  readonly carrier = 'http' as const;
  readonly #endpoint: string;
  readonly #response: NodeResponse;
  readonly #options: SSEServerTransportOptions;
  /** The caller who opened the stream; for others it does not exist. Where the response does not tell, it is that of the first message. */
  #opener: { readonly caller: string | undefined } | undefined;
  #state: 'new' | 'open' | 'closed' = 'new';
  #keepAlive: ReturnType<typeof setInterval> | undefined;
  #expiry: ReturnType<typeof setTimeout> | undefined;

  /** `endpoint` is the path or address to which the client posts its messages. */
  constructor(endpoint: string, response: NodeResponse, options: SSEServerTransportOptions = {}) {
    this.#endpoint = endpoint;
    this.#response = response;
    this.#options = options;
    if (response.req) this.#opener = { caller: callerOf(response.req.auth) };
  }

  /** Opens the stream. Its first event names the endpoint. */
  async start(): Promise<void> {
    if (this.#state !== 'new')
      throw new Error(
        'SSEServerTransport already started! If using Server class, note that connect() calls start() automatically.',
      );
    this.#state = 'open';
    this.#response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      Connection: 'keep-alive',
    });
    const { pathname, searchParams, hash } = new URL(this.#endpoint, 'http://localhost');
    searchParams.set('sessionId', this.sessionId);
    this.#response.write(`event: endpoint\ndata: ${pathname}?${searchParams.toString()}${hash}\n\n`);
    this.#response.on('close', () => void this.close());
    this.#keepAlive = armSseKeepAlive(DEFAULT_SSE_KEEP_ALIVE_MS, () => this.#write(':\n\n'));
    this.#expireWith(this.#response.req?.auth);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#state !== 'open') throw new Error('Not connected');
    this.#write(eventText(message));
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    const wasOpen = this.#state === 'open';
    this.#state = 'closed';
    clearInterval(this.#keepAlive);
    clearTimeout(this.#expiry);
    if (wasOpen) this.#response.end();
    this.onclose?.();
  }

  /** Handles a message that was posted to the endpoint. `parsedBody` is the body, where a framework has read it already. */
  async handlePostMessage(request: NodeRequest, response: NodeResponse, parsedBody?: unknown): Promise<void> {
    if (this.#state !== 'open') {
      answer(response, 500, NOT_OPEN);
      throw new Error(NOT_OPEN);
    }
    if (refuseRebound(request, response, this.#options)) return;
    const { host, origin } = request.headers;
    const fault = hostFault({ host: textOf(host), origin: textOf(origin) }, this.#options);
    if (fault !== undefined) return this.#refuse(response, 403, new Error(fault), fault);
    if (!this.#isOfOpener(request.auth)) return this.#refuse(response, 404, new Error(NOT_FOUND), NOT_FOUND);
    let body: unknown;
    try {
      body = await nodeBody(request, parsedBody);
    } catch (error) {
      return this.#refuse(response, 400, error as Error, String(error));
    }
    const requestInfo = { headers: request.headers, url: nodeUrl(request) };
    try {
      const message: unknown = typeof body === 'string' ? JSON.parse(body) : body;
      await this.handleMessage(message, { requestInfo, authInfo: request.auth });
    } catch {
      return answer(response, 400, `Invalid message: ${String(body)}`);
    }
    this.#expireWith(request.auth);
    answer(response, 202, 'Accepted');
  }

  /** Handles a message from any source. */
  async handleMessage(message: unknown, extra?: MessageExtraInfo): Promise<void> {
    let parsed: JSONRPCMessage;
    try {
      parsed = JSONRPCMessageSchema.parse(message) as JSONRPCMessage;
    } catch (error) {
      this.onerror?.(error as Error);
      throw error;
    }
    this.onmessage?.(parsed, extra);
  }

  #refuse(response: NodeResponse, status: number, error: Error, text: string): void {
    answer(response, status, text);
    this.onerror?.(error);
  }

  #isOfOpener(auth: AuthInfo | undefined): boolean {
    const caller = callerOf(auth);
    this.#opener ??= { caller };
    return caller === this.#opener.caller;
  }

  #write(text: string): void {
    this.#response.write(text);
    if (!(this.#response.writableLength > MAX_BUFFERED_BYTES)) return;
    this.#response.destroy();
    void this.close();
  }

  /** The stream ends with the token that it was opened with, or with the last one that a message came with. */
  #expireWith(auth: AuthInfo | undefined): void {
    clearTimeout(this.#expiry);
    this.#expiry = endOfToken(auth, () => void this.close());
  }
}

const NOT_OPEN = 'SSE connection not established';
const NOT_FOUND = 'Session not found';

function answer(response: NodeResponse, status: number, text: string): void {
  response.writeHead(status);
  response.end(text);
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

/** The name of a caller: its client with the user and the issuer that the token names. */
function callerOf(auth: AuthInfo | undefined): string | undefined {
  if (!auth?.clientId) return undefined;
  return JSON.stringify([auth.clientId, auth.extra?.['sub'], auth.extra?.['iss']]);
}
