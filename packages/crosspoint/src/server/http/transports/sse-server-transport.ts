import type { JSONRPCBatch, JSONRPCMessage } from '../../../jsonrpc/message.ts';
import { systemClock } from '../../../peer/clock.ts';
import { refusal } from '../../../transports/http/server/guards/host-and-origin.ts';
import type { HttpReply, HttpRequest } from '../../../transports/http/server/adapters/exchange.ts';
import {
  NodeHttpReply,
  NodeHttpRequest,
  type NodeRequest,
  type NodeResponse,
} from '../../../transports/http/server/adapters/node-exchange.ts';
import { serveNode, type HttpService } from '../../../transports/http/server/adapters/http-service.ts';
import { SsePairSession } from '../../../transports/http/server/sessions/sse-pair-session.ts';
import { Ticker } from '../../../transports/http/server/sessions/ticker.ts';
import type { MessageExtraInfo, Transport } from '../../../transports/transport.ts';
import { CallerReader, type CallerOptions } from '../caller-reader.ts';
import { BODY_LIMITS, readPost } from '../read-post.ts';
import { refuse } from '../../../transports/http/server/adapters/refuse.ts';

/** @deprecated HTTP+SSE is deprecated by SEP-2596; the earliest removal is three months after that became final. */
export interface SSEServerTransportOptions extends CallerOptions {
  /** Host names (with or without a port) under which the server may be reached. */
  allowedHosts?: string[];
  allowedOrigins?: string[];
  /** False turns off the check of Host and Origin for posted messages. The program checks the request that opens the stream. */
  enableDnsRebindingProtection?: boolean;
}

const TICK_MS = 1000;
const KEEP_ALIVE_MS = 15_000;

/**
 * One client over HTTP+SSE, on `node:http` and the frameworks on it.
 *
 * @deprecated HTTP+SSE was replaced by Streamable HTTP and is deprecated by SEP-2596; the earliest removal is three months after that became final.
 */
export class SSEServerTransport implements Transport {
  readonly #session: SsePairSession;
  readonly #options: SSEServerTransportOptions;
  readonly #callers: CallerReader;
  /** The request that opened the stream, where its response holds it. */
  readonly #opening: NodeHttpRequest | undefined;
  /** The caller who opened the stream; for others the stream does not exist. Set with the first message. */
  #opener: string | null | undefined;

  /** `endpoint` is the path or address to which the client posts its messages. */
  constructor(endpoint: string, response: NodeResponse, options: SSEServerTransportOptions = {}) {
    this.#options = options;
    this.#callers = new CallerReader(options);
    const { req } = response;
    if (req !== undefined && 'headers' in req) this.#opening = new NodeHttpRequest(req as NodeRequest, undefined);
    const onproblem = (problem: Error): unknown => this.onerror?.(problem);
    const ticker = new Ticker(systemClock, TICK_MS, onproblem);
    this.#session = new SsePairSession(crypto.randomUUID(), endpoint, new NodeHttpReply(response, { onproblem }), {
      ticker,
      keepAliveMs: KEEP_ALIVE_MS,
      clock: systemClock,
      authInfo: req?.auth,
    });
  }

  get sessionId(): string {
    return this.#session.sessionId;
  }
  get onclose(): (() => void) | undefined {
    return this.#session.onclose;
  }
  set onclose(run: (() => void) | undefined) {
    this.#session.onclose = run;
  }
  get onerror(): ((error: Error) => void) | undefined {
    return this.#session.onerror;
  }
  set onerror(run: ((error: Error) => void) | undefined) {
    this.#session.onerror = run;
  }
  get onmessage(): ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined {
    return this.#session.onmessage;
  }
  set onmessage(run: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined) {
    this.#session.onmessage = run;
  }

  start(): Promise<void> {
    return this.#session.start();
  }
  async send(message: JSONRPCMessage | JSONRPCBatch): Promise<void> {
    this.#session.send(message);
  }
  close(): Promise<void> {
    return this.#session.close();
  }

  /** Handles a message that was posted to the endpoint. `parsedBody` is the body, where a framework has read it already. */
  async handlePostMessage(request: NodeRequest, response: NodeResponse, parsedBody?: unknown): Promise<void> {
    await serveNode(this.#service, request, response, parsedBody);
  }

  readonly #service: HttpService = {
    serve: (request, reply) => this.#post(request, reply),
    onproblem: (problem) => this.onerror?.(problem),
  };

  async #post(from: HttpRequest, reply: HttpReply): Promise<void> {
    const refused = this.#options.enableDnsRebindingProtection === false ? undefined : refusal(from, this.#options);
    if (refused !== undefined) return refuse(reply, { status: 403, message: refused });
    if (!this.#isOfOpener(from, reply)) return;
    const body = await readPost(from, reply, BODY_LIMITS, {});
    if (body) this.#session.post(body.value, from, reply);
  }

  /** Whether a message is from the caller who opened the stream; otherwise the refusal has been sent. */
  #isOfOpener(from: HttpRequest, reply: HttpReply): boolean {
    this.#callers.identify(from);
    if (this.#opener === undefined) {
      if (this.#opening) this.#callers.identify(this.#opening);
      this.#opener = (this.#opening ?? from).principal;
    }
    if (from.principal === this.#opener) return true;
    refuse(reply, { status: 404, message: 'There is no such session.' });
    return false;
  }

  /** Handles a message from any source. */
  async handleMessage(message: unknown, extra?: MessageExtraInfo): Promise<void> {
    this.#session.receive(message, extra);
  }
}
