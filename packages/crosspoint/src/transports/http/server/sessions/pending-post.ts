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
import { jsonHeaders } from '../adapters/reply-headers.ts';
import type { HttpHeaders, HttpReply, HttpStream } from '../adapters/exchange.ts';
import { tooMany } from './session-refusals.ts';
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
  readonly since: number;
  /** HTTP rules of a request that names its own revision; `undefined` for one that belongs to the session. */
  readonly rules: HttpRules | undefined;
  readonly answers: JSONRPCResponse[];
  /** The text of the only answer. */
  text: string | undefined;
  /** An error about the POST as a whole, found while it was delivered. */
  refusal: JSONRPCErrorResponse | undefined;
  /** The connection, once the reply has become a stream. */
  sink: HttpStream | undefined;
}

/** A POST before it is delivered. */
export type Posted = Pick<PendingPost, 'reply' | 'headers' | 'isBatch' | 'isReadable'>;

/** A client that polls a task does not want a stream. */
function isPoll({ requests }: PendingPost): boolean {
  return requests.length > 0 && requests.every((request) => request.method === 'tasks/get');
}

/** Member by member: in V8, adding members to a spread object is slow, and this runs for every POST. */
export function expectAnswers(
  stream: SessionStream,
  requests: readonly JSONRPCRequest[],
  { reply, headers, isBatch, isReadable }: Posted,
  { rules, since }: Pick<PendingPost, 'rules' | 'since'>,
): PendingPost {
  return {
    stream,
    reply,
    headers,
    isBatch,
    requests,
    isReadable,
    since,
    rules,
    answers: [],
    text: undefined,
    refusal: undefined,
    sink: undefined,
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

export function opensSession({ requests }: PendingPost): boolean {
  return requests.some((request) => request.method === 'initialize');
}

/** Whether the answer may be resumed: not that of a handshake, of a poll, or of a request that names its own revision. */
export function mayBeResumed(post: PendingPost, session: HttpRules | undefined): boolean {
  const { rules, requests, refusal } = post;
  if (opensSession(post) || isPoll(post)) return false;
  return rules === undefined && requests.length > 0 && refusal === undefined && refusedWith(post, session) === 200;
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
export function respond(post: PendingPost, session: HttpRules | undefined): void {
  const { reply, headers, isBatch, answers, text, refusal, requests, isReadable } = post;
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

export function isRequest(message: unknown): message is JSONRPCRequest {
  return kindOf(message) === 'request';
}

export function isMessage(message: unknown): boolean {
  return kindOf(message) !== 'invalid';
}

export function isCancellation(
  message: unknown,
): message is JSONRPCNotification & { params: { requestId: RequestId } } {
  if (kindOf(message) !== 'notification') return false;
  const { method, params } = message as JSONRPCNotification;
  return method === 'notifications/cancelled' && params !== undefined;
}

/** Adds the session id to the reply of a successful handshake. */
export function withSessionId(post: PendingPost, sessionId: string | undefined): PendingPost {
  if (sessionId === undefined || !opensSession(post)) return post;
  if (!post.answers.some((answer) => 'result' in answer)) return post;
  return { ...post, headers: { ...post.headers, 'Mcp-Session-Id': sessionId } };
}
