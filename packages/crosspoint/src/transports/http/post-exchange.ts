import {
  kindOf,
  type JSONRPCErrorResponse,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type RequestId,
} from '../../jsonrpc/message.ts';
import { serialise } from '../../jsonrpc/serialise.ts';
import type { HttpRules } from '../../revisions/revision.ts';
import { JSON_HEADERS } from './answers.ts';
import type { HttpHeaders, HttpReply, HttpStream } from './exchange.ts';
import type { SessionStream } from './session-stream.ts';

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

/** Whoever polls has said that it does not want to hold a stream. */
export function isPoll({ requests }: PostExchange): boolean {
  return requests.length > 0 && requests.every((request) => request.method === 'tasks/get');
}

export function opensSession({ requests }: PostExchange): boolean {
  return requests.some((request) => request.method === 'initialize');
}

/** Answers with JSON, or without a body where nothing that was posted wants an answer. */
export function respond({
  reply,
  headers,
  isBatch,
  answers,
  rules,
  refusal,
  requests,
  isReadable,
}: PostExchange): void {
  if (refusal) return reply.send(400, { ...JSON_HEADERS, ...headers }, serialise(refusal));
  const [first] = answers;
  if (first === undefined) return reply.send(isReadable ? 202 : 400, headers);
  const status = requests.length === 0 ? 400 : 'error' in first ? (rules?.errorStatus(first.error) ?? 200) : 200;
  reply.send(status, { ...JSON_HEADERS, ...headers }, isBatch ? serialise(answers) : serialise(first));
}

export function isNamed(id: RequestId | null | undefined): id is RequestId {
  return id !== undefined && id !== null;
}

export function isCancellation(
  message: unknown,
): message is JSONRPCNotification & { params: { requestId: RequestId } } {
  if (kindOf(message) !== 'notification') return false;
  const { method, params } = message as JSONRPCNotification;
  return method === 'notifications/cancelled' && params !== undefined;
}
