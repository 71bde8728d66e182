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

/** The answer to one POST that is not decided yet: JSON if the answers come first, a stream if anything else does. */
export interface PostExchange {
  readonly stream: SessionStream;
  readonly reply: HttpReply;
  readonly headers: HttpHeaders;
  readonly isBatch: boolean;
  readonly requests: readonly JSONRPCRequest[];
  /** Whether everything that was posted was a message. */
  readonly isReadable: boolean;
  readonly since: number;
  /** The rules of a request that brings its own revision; `undefined` for one that belongs to the session. */
  readonly rules: HttpRules | undefined;
  readonly answers: JSONRPCResponse[];
  /** Said of the POST as a whole, while it was handed over. */
  refusal: JSONRPCErrorResponse | undefined;
  /** The connection, once the answer has become a stream. */
  sink: HttpStream | undefined;
}

/** What is known of a POST before anything of it is handed over. */
export type Posted = Pick<PostExchange, 'reply' | 'headers' | 'isBatch' | 'isReadable'>;

/** Whoever polls has said that it does not want to hold a stream. */
function isPoll({ requests }: PostExchange): boolean {
  return requests.length > 0 && requests.every((request) => request.method === 'tasks/get');
}

/** Member by member: V8 is slow at adding to what was spread, and this is done for every POST. */
export function expectAnswers(
  stream: SessionStream,
  requests: readonly JSONRPCRequest[],
  { reply, headers, isBatch, isReadable }: Posted,
  { rules, since }: Pick<PostExchange, 'rules' | 'since'>,
): PostExchange {
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
    refusal: undefined,
    sink: undefined,
  };
}

/** Ids that are in use would send an answer to the wrong place; too many requests at once would fill the memory. */
export function refusalOf(
  requests: readonly JSONRPCRequest[],
  inUse: { has(id: RequestId): boolean; readonly size: number },
  max: number,
): HttpRefusal | undefined {
  const isTwice = requests.length > 1 && new Set(requests.map(({ id }) => id)).size < requests.length;
  if (isTwice || requests.some(({ id }) => inUse.has(id)))
    return { status: 400, message: 'A request of the same id is not answered yet.' };
  if (requests.length === 0 || inUse.size + requests.length <= max) return undefined;
  return tooMany(max, 'requests');
}

export function opensSession({ requests }: PostExchange): boolean {
  return requests.some((request) => request.method === 'initialize');
}

/** Whether the answer is one that a client may come back for: not that to a handshake, nor to a request that brings its own revision. */
export function mayBeResumed(exchange: PostExchange, session: HttpRules | undefined): boolean {
  const { rules, requests, refusal } = exchange;
  if (opensSession(exchange) || isPoll(exchange)) return false;
  return rules === undefined && requests.length > 0 && refusal === undefined && refusedWith(exchange, session) === 200;
}

/** The status of the one error that a request was answered with; 200 for whatever else became of it so far. */
function refusedWith({ answers, isBatch, rules }: PostExchange, session: HttpRules | undefined): number {
  const [first] = answers;
  if (first === undefined || isBatch || !('error' in first)) return 200;
  return (rules ?? session)?.errorStatus(first.error) ?? 200;
}

/** Answers with JSON, or without a body where nothing that was posted wants an answer. */
export function respond(exchange: PostExchange, session: HttpRules | undefined): void {
  const { reply, headers, isBatch, answers, refusal, requests, isReadable } = exchange;
  if (refusal) return reply.send(400, jsonHeaders(headers), serialise(refusal));
  const [first] = answers;
  if (first === undefined) return reply.send(isReadable ? 202 : 400, headers);
  const status = requests.length === 0 ? 400 : refusedWith(exchange, session);
  const written = jsonHeaders('error' in first ? { ...headers, ...retryAfter(status, first.error) } : headers);
  reply.send(status, written, isBatch ? serialise(answers) : serialise(first));
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

/** The id of a session is told with the handshake that opened it, and with none that failed. */
export function withSessionId(exchange: PostExchange, sessionId: string | undefined): PostExchange {
  if (sessionId === undefined || !opensSession(exchange)) return exchange;
  if (!exchange.answers.some((answer) => 'result' in answer)) return exchange;
  return { ...exchange, headers: { ...exchange.headers, 'Mcp-Session-Id': sessionId } };
}
