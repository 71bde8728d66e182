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
import type { SessionEvents } from './session-events.ts';
import type { SessionStream } from './session-stream.ts';
import { retryAfter, type HttpRefusal } from '../adapters/refuse.ts';

/** A POST whose reply is not decided yet: JSON if the answers come first, a stream if any other message does. */
export interface PendingPost {
  readonly stream: SessionStream;
  readonly reply: HttpReply;
  readonly headers: HttpHeaders;
  readonly isBatch: boolean;
  readonly requests: readonly JSONRPCRequest[];
  /** Whether everything in the POST was a message. */
  readonly isReadable: boolean;
  /** Time from which its silence counts; infinite while it is not watched. */
  since: number;
  /** HTTP rules of a request that names its own revision; `undefined` for one that belongs to the session. */
  rules: HttpRules | undefined;
  readonly answers: JSONRPCResponse[];
  /** The text of the only answer. */
  text: string | undefined;
  /** An error about the POST as a whole, found while it was delivered. */
  refusal: JSONRPCErrorResponse | undefined;
  /** The connection, once the reply has become a stream. */
  sink: HttpStream | undefined;
}

/** A POST before it is accepted. The kind of a single request is looked at once. */
export function postOf(body: unknown, stream: SessionStream, reply: HttpReply, headers: HttpHeaders): PendingPost {
  const isBatch = Array.isArray(body);
  const messages: readonly unknown[] = isBatch ? body : [body];
  const isOne = !isBatch && isRequest(body);
  return {
    stream,
    reply,
    headers,
    isBatch,
    requests: isOne ? [body] : messages.filter(isRequest),
    isReadable: isOne || messages.every((message) => kindOf(message) !== 'invalid'),
    since: Number.POSITIVE_INFINITY,
    rules: undefined,
    answers: [],
    text: undefined,
    refusal: undefined,
    sink: undefined,
  };
}

/** A stream whose whole text is there before it ends: one reply with a length, which nothing has to watch. */
export function wholeStream({ reply, headers }: PendingPost): HttpStream {
  let all = '';
  return {
    write: (text) => {
      all += text;
      return true;
    },
    end: () => reply.send(200, streamHeaders(headers), all),
  };
}

/** Refuses ids that are in use, since their answers would go to the wrong place, and too many requests at once. */
export function refusalOf(
  requests: readonly JSONRPCRequest[],
  inUse: { has(id: RequestId): boolean; readonly size: number },
  max: number,
): HttpRefusal | undefined {
  const isTwice = requests.length > 1 && new Set(requests.map(({ id }) => id)).size < requests.length;
  if (isTwice || requests.some(({ id }) => inUse.has(id)))
    return { status: 400, message: 'The id belongs to a request that is not answered yet.' };
  if (requests.length === 0 || inUse.size + requests.length <= max) return undefined;
  return tooMany(max, 'requests');
}

/** Whether the reply can be decided when the turn ends: events in a store are announced there before. */
export function mayWait({ stream, reply }: PendingPost, events: SessionEvents | undefined): boolean {
  return stream.owed > 0 && reply.atEndOfTurn !== undefined && (!events || events.isPrimedByStore === true);
}

function opensSession({ requests }: PendingPost): boolean {
  return requests.some((request) => request.method === 'initialize');
}

/** Whether the answer may be resumed: not that of a handshake, of a poll, or of a request that names its own revision. */
export function mayBeResumed(post: PendingPost, session: HttpRules | undefined): boolean {
  const { rules, requests, refusal } = post;
  // Without requests as well: a client that has asked for nothing gets no stream.
  if (opensSession(post) || requests.every(({ method }) => method === 'tasks/get')) return false;
  return rules === undefined && refusal === undefined && refusedWith(post, session) === 200;
}

/** The HTTP status for a single error response; 200 otherwise. */
function refusedWith({ answers, isBatch, rules }: PendingPost, session: HttpRules | undefined): number {
  const [first] = answers;
  if (first === undefined || isBatch || !('error' in first)) return 200;
  return (rules ?? session)?.errorStatus(first.error) ?? 200;
}

/** Adds an answer, as text where it is the only one. */
export function addAnswer(post: PendingPost, answer: JSONRPCResponse): void {
  if (!post.isBatch) post.text = serialise(answer);
  post.answers.push(answer);
}

/** Replies with JSON, or without a body when nothing in the POST needs an answer. */
export function respond(post: PendingPost, session: HttpRules | undefined, headers: HttpHeaders): void {
  const { reply, isBatch, answers, text, refusal, requests, isReadable } = post;
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

export function isCancellation(
  message: unknown,
): message is JSONRPCNotification & { params: { requestId: RequestId } } {
  const { method, params } = Object(message) as JSONRPCNotification;
  return method === 'notifications/cancelled' && params !== undefined && kindOf(message) === 'notification';
}

/** The headers of the reply: that of a successful handshake names the session. */
export function headersOf(post: PendingPost, sessionId: string | undefined): HttpHeaders {
  const { headers, answers } = post;
  if (sessionId === undefined || !opensSession(post) || !answers.some((answer) => 'result' in answer)) return headers;
  return { ...headers, 'Mcp-Session-Id': sessionId };
}
