import {
  kindOf,
  type JSONRPCErrorResponse,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type RequestId,
} from '../../../../jsonrpc/message.ts';
import { serialise } from '../../../../jsonrpc/serialise.ts';
import type { HttpRules } from '../../../../revisions/revision.ts';
import { jsonHeaders, streamHeaders } from '../adapters/reply-headers.ts';
import type { HttpHeaders, HttpReply, HttpStream } from '../adapters/exchange.ts';
import { tooMany } from './session-refusals.ts';
import type { SessionStream } from './session-stream.ts';
import { retryAfter, type HttpRefusal } from '../adapters/refuse.ts';

/** The messages of a POST. */
export interface PostedMessages {
  readonly isBatch: boolean;
  readonly requests: readonly JSONRPCRequest[];
  /** Whether everything in the POST was a message. */
  readonly isReadable: boolean;
  readonly cancellations: readonly Cancellation[];
}

/** Reads the messages of a POST. The kind of a single message is looked at once. */
export function messagesOf(body: unknown): PostedMessages {
  if (Array.isArray(body)) {
    const requests = body.filter(isRequest);
    return { isBatch: true, requests, isReadable: body.every(isMessage), cancellations: body.filter(isCancellation) };
  }
  const kind = kindOf(body);
  return {
    isBatch: false,
    requests: kind === 'request' ? [body as JSONRPCRequest] : [],
    isReadable: kind !== 'invalid',
    cancellations: kind === 'notification' && isCancellation(body) ? [body] : [],
  };
}

export function idsIn({ requests }: PostedMessages): readonly RequestId[] {
  return requests.map(({ id }) => id);
}

/** A POST whose reply is not decided yet: JSON if the answers come first, a stream if any other message does. */
export class PendingPost {
  // Declared without a value, since every POST makes one of these: see `Call`.
  declare readonly stream: SessionStream;
  declare readonly messages: PostedMessages;
  declare readonly reply: HttpReply;
  declare readonly headers: HttpHeaders;
  /** HTTP rules of a request that names its own revision; `undefined` for one that belongs to the session. */
  declare readonly rules: HttpRules | undefined;
  /** Time from which its silence counts; set when it was not answered at once. */
  declare since: number;
  declare readonly answers: JSONRPCResponse[];
  /** The text of the only answer. */
  declare text: string | undefined;
  /** An error about the POST as a whole, found while it was delivered. */
  declare refusal: JSONRPCErrorResponse | undefined;
  /** The connection, once the reply has become a stream. */
  declare sink: HttpStream | undefined;

  constructor(
    stream: SessionStream,
    messages: PostedMessages,
    { reply, headers }: Pick<PendingPost, 'reply' | 'headers'>,
    rules: HttpRules | undefined,
  ) {
    this.stream = stream;
    this.messages = messages;
    this.reply = reply;
    this.headers = headers;
    this.rules = rules;
    this.since = 0;
    this.answers = [];
    this.text = undefined;
    this.refusal = undefined;
    this.sink = undefined;
  }
}

/** A stream whose whole text is there before it ends: one reply with a length, which nothing has to watch. */
export class WholeStream implements HttpStream {
  declare private readonly post: PendingPost;
  declare private text: string;

  constructor(post: PendingPost) {
    this.post = post;
    this.text = '';
  }

  write(text: string): boolean {
    this.text += text;
    return true;
  }

  end(): void {
    const { reply, headers } = this.post;
    reply.send(200, streamHeaders(headers), this.text);
  }
}

/** A client that polls a task does not want a stream. */
function isPoll({ messages: { requests } }: PendingPost): boolean {
  return requests.length > 0 && requests.every((request) => request.method === 'tasks/get');
}

/** Refuses ids that are in use, since their answers would go to the wrong place, and too many requests at once. */
export function refusalOf(
  requests: readonly JSONRPCRequest[],
  inUse: { has(id: RequestId): boolean; readonly size: number },
  max: number,
): HttpRefusal | undefined {
  if (requests.length === 0) return undefined;
  const isTwice = requests.length > 1 && new Set(requests.map(({ id }) => id)).size < requests.length;
  if (isTwice || requests.some(({ id }) => inUse.has(id)))
    return { status: 400, message: 'The id belongs to a request that is not answered yet.' };
  if (inUse.size + requests.length <= max) return undefined;
  return tooMany(max, 'requests');
}

function opensSession({ messages: { requests } }: PendingPost): boolean {
  return requests.some((request) => request.method === 'initialize');
}

/** Whether the answer may be resumed: not that of a handshake, of a poll, or of a request that names its own revision. */
export function mayBeResumed(post: PendingPost, session: HttpRules | undefined): boolean {
  const { rules, messages, refusal } = post;
  if (opensSession(post) || isPoll(post)) return false;
  return (
    rules === undefined && messages.requests.length > 0 && refusal === undefined && refusedWith(post, session) === 200
  );
}

/** The HTTP status for a single error response; 200 otherwise. */
function refusedWith({ answers, messages, rules }: PendingPost, session: HttpRules | undefined): number {
  const [first] = answers;
  if (first === undefined || messages.isBatch || !('error' in first)) return 200;
  return (rules ?? session)?.errorStatus(first.error) ?? 200;
}

/** Adds an answer, as text where it is the only one. */
export function addAnswer(post: PendingPost, answer: JSONRPCResponse): void {
  if (!post.messages.isBatch) post.text = serialise(answer);
  post.answers.push(answer);
}

/** Replies with JSON, or without a body when nothing in the POST needs an answer. */
export function respond(post: PendingPost, session: HttpRules | undefined, headers: HttpHeaders): void {
  const { reply, answers, text, refusal, messages } = post;
  const { isBatch, requests, isReadable } = messages;
  if (refusal) return reply.send(400, jsonHeaders(headers), serialise(refusal));
  const [first] = answers;
  if (first === undefined) return reply.send(isReadable ? 202 : 400, headers);
  const status = requests.length === 0 ? 400 : refusedWith(post, session);
  const written = jsonHeaders('error' in first ? { ...headers, ...retryAfter(status, first.error) } : headers);
  reply.send(status, written, isBatch ? serialise(answers) : (text ?? serialise(first)));
}

export function isNamed(id: RequestId | null | undefined): id is RequestId {
  return id !== undefined && id !== null;
}

export function cancellationOf(requestId: RequestId, reason: string): JSONRPCNotification {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } };
}

function isRequest(message: unknown): message is JSONRPCRequest {
  return kindOf(message) === 'request';
}

function isMessage(message: unknown): boolean {
  return kindOf(message) !== 'invalid';
}

export type Cancellation = JSONRPCNotification & { params: { requestId: RequestId } };

export function isCancellation(message: unknown): message is Cancellation {
  if (kindOf(message) !== 'notification') return false;
  const { method, params } = message as JSONRPCNotification;
  return method === 'notifications/cancelled' && params !== undefined;
}

/** The headers of the reply: that of a successful handshake names the session. */
export function headersOf(post: PendingPost, sessionId: string | undefined): HttpHeaders {
  const { headers, answers } = post;
  if (sessionId === undefined || !opensSession(post) || !answers.some((answer) => 'result' in answer)) return headers;
  return { ...headers, 'Mcp-Session-Id': sessionId };
}
