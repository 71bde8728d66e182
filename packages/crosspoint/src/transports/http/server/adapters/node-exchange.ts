import { asError, attempt } from '../../../../runtime/guard.ts';
import type { AuthInfo } from '../../../transport.ts';
import { withLength } from './reply-headers.ts';
import {
  BodyTimeout,
  BodyTooLarge,
  MAX_BUFFERED_BYTES,
  type BodyLimits,
  type HttpHeaders,
  type HttpReply,
  type HttpRequest,
  type HttpStream,
  type ReplyOptions,
} from './exchange.ts';
import { isLoopbackAddress } from '../guards/host-and-origin.ts';
import { NodeQueue, type NodeSocket } from './node-queue.ts';
import { atEndOfTurn, soonAfterTurn, type TurnEndListener } from './end-of-turn.ts';
import { INTERNAL, refuse } from './refuse.ts';

/**
 * The part of Node's `IncomingMessage` that is used. A structural type, so that this file imports nothing of Node and loads everywhere.
 * `auth` is where frameworks put the verified identity.
 */
export interface NodeRequest {
  method?: string | undefined;
  url?: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  socket?: NodeSocket | null;
  auth?: AuthInfo;
  /** Result of a body parser. */
  body?: unknown;
  /** Returns data that has arrived and was not read yet; `null` when there is none. Absent on hand-made requests. */
  read?(): unknown;
  on(event: string, listener: (chunk: unknown) => void): unknown;
  off(event: string, listener: (chunk: unknown) => void): unknown;
  resume(): unknown;
}

/** The part of Node's `ServerResponse` that is used. */
export interface NodeResponse {
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  readonly writableLength: number;
  /** The request that is answered. Absent on hand-made responses. */
  readonly req?: { readonly httpVersionMajor?: number; readonly auth?: AuthInfo; readonly socket?: NodeSocket | null };
  /** `null` while an earlier response occupies the connection. */
  readonly socket?: object | null;
  removeHeader?(name: string): unknown;
  writeHead(status: number, headers?: Record<string, string | number>): unknown;
  flushHeaders(): void;
  cork?(): void;
  uncork?(): void;
  write(text: string): boolean;
  write(text: string, encoding: 'latin1' | 'utf8'): boolean;
  end(text?: string): unknown;
  destroy(): unknown;
  on(event: string, listener: () => void): unknown;
}

/** A chunk of a body: a `Buffer`, which can decode itself. */
type Chunk = Uint8Array & { toString(encoding: 'utf8'): string };

const { Buffer: NodeBuffer } = globalThis as {
  Buffer?: { byteLength(text: string): number; concat(chunks: readonly Uint8Array[]): Chunk };
};

/** Reads Node's request directly, without converting it. */
export class NodeHttpRequest implements HttpRequest {
  readonly #request: NodeRequest;
  parsedBody: unknown;
  principal: string | null | undefined;
  address: string | undefined;
  /** Start of a body that was not complete when `arrivedText` was called. */
  #arrived: Chunk | undefined;

  constructor(request: NodeRequest, parsedBody: unknown) {
    this.#request = request;
    // Frameworks pass `next` as the third argument of a handler; it is no body.
    this.parsedBody = parsedBody === undefined || typeof parsedBody === 'function' ? request.body : parsedBody;
  }

  get method(): string {
    return this.#request.method ?? 'GET';
  }
  get path(): string {
    const url = this.#request.url ?? '/';
    const mark = url.indexOf('?');
    return mark === -1 ? url : url.slice(0, mark);
  }
  get query(): string {
    const url = this.#request.url ?? '/';
    const mark = url.indexOf('?');
    return mark === -1 ? '' : url.slice(mark + 1);
  }
  get url(): URL | undefined {
    const { headers, socket, url = '/' } = this.#request;
    const address = `${socket?.encrypted === true ? 'https' : 'http'}://${String(headers['host'])}${url}`;
    return headers['host'] !== undefined && URL.canParse(address) ? new URL(address) : undefined;
  }
  get isLoopback(): boolean | undefined {
    const address = this.#request.socket?.localAddress;
    return address === undefined ? undefined : isLoopbackAddress(address);
  }
  get remoteAddress(): string | undefined {
    return this.#request.socket?.remoteAddress;
  }
  get authInfo(): AuthInfo | undefined {
    return this.#request.auth;
  }
  set authInfo(verified: AuthInfo | undefined) {
    if (verified === undefined) delete this.#request.auth;
    else this.#request.auth = verified;
  }

  header(name: string): string | undefined {
    const value = named(this.#request.headers, name);
    return Array.isArray(value) ? value.join(', ') : value;
  }

  allHeaders(): Record<string, string | string[] | undefined> {
    return this.#request.headers;
  }

  arrivedText({ maxBytes }: BodyLimits): string | undefined {
    const announced = this.#announced();
    if (announced > maxBytes) return undefined;
    const arrived = (this.#request.read?.() ?? undefined) as Chunk | undefined;
    if (arrived !== undefined && arrived.length === announced) return arrived.toString('utf8');
    this.#arrived = arrived;
    return undefined;
  }

  readText(limits: BodyLimits): Promise<string> {
    if (this.#announced() > limits.maxBytes) return Promise.reject(this.#refused(tooLarge(limits.maxBytes)));
    return this.#collect(this.#arrived, limits);
  }

  #announced(): number {
    return Number(this.#request.headers['content-length'] ?? 0);
  }

  /** Discards the rest of the body, so that the refusal can be sent on this connection. */
  #refused(error: Error): Error {
    this.#request.resume();
    return error;
  }

  #collect(arrived: Chunk | undefined, { maxBytes, timeoutMs }: BodyLimits): Promise<string> {
    const request = this.#request;
    return new Promise((resolve, reject) => {
      const chunks: Chunk[] = [];
      let length = 0;
      const take = (chunk: unknown): void => {
        length += (chunk as Chunk).length;
        if (length > maxBytes) fail(tooLarge(maxBytes));
        else chunks.push(chunk as Chunk);
      };
      const fail = (error: unknown): void => {
        clearTimeout(timer);
        request.off('data', take);
        reject(this.#refused(asError(error)));
      };
      const timer = setTimeout(
        () => fail(new BodyTimeout(`The body did not arrive within ${timeoutMs} ms.`)),
        timeoutMs,
      );
      if (arrived !== undefined) take(arrived);
      request.on('data', take);
      request.on('end', () => {
        clearTimeout(timer);
        resolve(textOf(chunks));
      });
      request.on('error', fail);
      request.on('aborted', () => fail(new BodyTimeout('The client disconnected while sending the body.')));
    });
  }
}

type NodeHeaders = NodeRequest['headers'];

/**
 * A header by its name. Names that every request is asked for are written out: V8 then caches where they are. One of several changes that
 * took a call from 86,465 to 84,418 instructions.
 */
function named(headers: NodeHeaders, name: string): NodeHeaders[string] {
  switch (name) {
    case 'host':
      return headers['host'];
    case 'origin':
      return headers['origin'];
    case 'sec-fetch-site':
      return headers['sec-fetch-site'];
    case 'accept':
      return headers['accept'];
    case 'content-type':
      return headers['content-type'];
    case 'content-encoding':
      return headers['content-encoding'];
    case 'mcp-protocol-version':
      return headers['mcp-protocol-version'];
    case 'mcp-session-id':
      return headers['mcp-session-id'];
    case 'mcp-method':
      return headers['mcp-method'];
    case 'mcp-name':
      return headers['mcp-name'];
    default:
      return headers[name];
  }
}

function tooLarge(maxBytes: number): BodyTooLarge {
  return new BodyTooLarge(`The body is larger than ${maxBytes} bytes.`);
}

function textOf(chunks: readonly Chunk[]): string {
  const [only] = chunks;
  if (only === undefined) return '';
  return (chunks.length === 1 || NodeBuffer === undefined ? only : NodeBuffer.concat(chunks)).toString('utf8');
}

const NO_OPTIONS: ReplyOptions = {};

export class NodeHttpReply implements HttpReply {
  readonly #response: NodeResponse;
  readonly #options: ReplyOptions;
  readonly #queue: NodeQueue | undefined;
  /** Whether the request may be served: false when too many wait on its connection. */
  readonly mayBegin: boolean;
  #isStream = false;

  constructor(response: NodeResponse, options: ReplyOptions = NO_OPTIONS) {
    this.#response = response;
    this.#options = options;
    this.#queue = NodeQueue.of(response);
    this.mayBegin = this.#queue?.enter(response) !== false;
  }

  send(status: number, headers: HttpHeaders, body: string = ''): void {
    if (!this.#isStream) sendWhole(this.#response, status, headers, body);
  }

  open(status: number, headers: HttpHeaders, isStanding: boolean = false): HttpStream {
    this.#isStream = true;
    const head = { status, headers, isStanding };
    const stream = new NodeHttpStream(this.#response, head, this.#options.maxBufferedBytes ?? MAX_BUFFERED_BYTES);
    // A reply that is complete by the end of the turn is sent in one write.
    atEndOfTurn(stream);
    return stream;
  }

  atEndOfTurn(member: TurnEndListener): void {
    atEndOfTurn(member);
  }

  /** Replies with 500. A stream that has begun is cut, so that the client does not wait for the rest. */
  fail(): void {
    if (this.#isStream || this.#response.headersSent) cut(this.#response);
    else refuse(this, INTERNAL);
  }

  onabort(run: () => void): void {
    const response = this.#response;
    if (response.destroyed) {
      if (!response.writableFinished) queueMicrotask(run);
      return;
    }
    const ended = (): void => {
      if (!response.writableFinished) attempt(run, this.#options.onproblem);
    };
    if (this.#queue) this.#queue.onabort(response, ended);
    else response.on('close', ended);
  }
}

/** Closes a connection, also one that an earlier response still occupies: this response would wait for that one for ever. */
function cut(response: NodeResponse): void {
  response.destroy();
  NodeQueue.of(response)?.cut();
}

/** Sends head and body in one write. */
function sendWhole(response: NodeResponse, status: number, headers: HttpHeaders, body: string): void {
  if (response.headersSent || response.destroyed) return;
  const length = NodeBuffer?.byteLength(body);
  response.writeHead(status, length === undefined ? { ...headers } : withLength(headers, length));
  if (body === '' || response.cork === undefined) return void response.end(body);
  // `end(body)` would write an empty chunk after the body, which makes a second piece to gather. ASCII text is written as latin1, which
  // needs no encoding.
  response.cork();
  response.write(body, length === body.length ? 'latin1' : 'utf8');
  response.uncork?.();
  response.end();
}

interface StreamHead {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly isStanding: boolean;
}

class NodeHttpStream implements HttpStream, TurnEndListener {
  readonly #response: NodeResponse;
  readonly #head: StreamHead;
  readonly #maxBufferedBytes: number;
  /** Text written before the head was sent; `undefined` afterwards. */
  #early: string | undefined = '';
  #waits = false;
  #alarm: Alarm | undefined;

  constructor(response: NodeResponse, head: StreamHead, maxBufferedBytes: number) {
    this.#response = response;
    this.#head = head;
    this.#maxBufferedBytes = maxBufferedBytes;
  }

  write(text: string): boolean {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return false;
    if ((this.#early?.length ?? response.writableLength) > this.#maxBufferedBytes) {
      cut(response);
      return false;
    }
    if (this.#early === undefined) response.write(text);
    else this.#early += text;
    this.go();
    return true;
  }

  wait(isShort = false): void {
    this.#waits = true;
    if (isShort) soonAfterTurn((this.#alarm = new Alarm(this)));
  }

  go(): void {
    if (!this.#waits) return;
    this.#waits = false;
    atEndOfTurn(this);
  }

  end(): void {
    const text = this.#early;
    this.#early = undefined;
    if (this.#alarm) this.#alarm.stream = undefined;
    if (text === undefined) this.#response.end();
    else sendWhole(this.#response, this.#head.status, this.#head.headers, text);
  }

  /** @internal Sends the head and the text written so far. */
  onTurnEnd(): void {
    if (this.#waits) return;
    const text = this.#early;
    this.#early = undefined;
    if (text === undefined || this.#response.headersSent || this.#response.destroyed) return;
    const { status, headers, isStanding } = this.#head;
    this.#response.writeHead(status, isStanding ? unframed(this.#response, headers) : { ...headers });
    if (text === '') this.#response.flushHeaders();
    else this.#response.write(text);
  }

  /** @internal The head could not be written, so the connection is closed. */
  failed(): void {
    cut(this.#response);
  }
}

/** Lets a stream begin that waits for its first message. One that has ended is not kept in memory until then. */
class Alarm implements TurnEndListener {
  stream: NodeHttpStream | undefined;

  constructor(stream: NodeHttpStream) {
    this.stream = stream;
  }

  onTurnEnd(): void {
    this.stream?.go();
  }

  failed(): void {
    this.stream?.failed();
  }
}

/**
 * The head of a stream that ends with its connection: each event is then one plain write instead of the four pieces of a chunk (CPU for one
 * event to 500 streams: 1.16 against 1.00 times that of a bare Node server). No other request waits for the connection of a standing
 * stream. HTTP/2 and later have frames of their own.
 */
function unframed(response: NodeResponse, headers: HttpHeaders): Record<string, string> {
  if (response.req?.httpVersionMajor !== 1) return { ...headers };
  response.removeHeader?.('Transfer-Encoding');
  return { ...headers, Connection: 'close' };
}
