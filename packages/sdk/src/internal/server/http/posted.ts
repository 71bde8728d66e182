import {
  DEFAULT_NEGOTIATED_PROTOCOL_VERSION,
  LATEST_PROTOCOL_VERSION,
  type JSONRPCMessage,
  type RequestId,
} from 'crosspoint';
import type { HttpRequest } from 'crosspoint/server';
import { MAX_BATCH_SIZE } from '../../../server/requestBody.ts';
import { isJsonContentType } from '../../../shared/mediaType.ts';
import { isInitializeRequest } from '../../types/guards.ts';
import { JSONRPCMessageSchema } from '../../types/json-rpc.ts';
import type { HttpReply } from './exchange.ts';
import { REFUSED, bodyTooLarge, type Refusal } from './refusals.ts';

/** A POST whose messages have been read. */
export interface Post {
  readonly request: HttpRequest;
  readonly reply: HttpReply;
  readonly messages: readonly JSONRPCMessage[];
}

const BODY_TIMEOUT_MS = 30_000;

/** Why a POST is refused unread. */
export function mediaFault(request: HttpRequest): Refusal | undefined {
  const accepted = request.header('accept');
  if (!accepted?.includes('application/json') || !accepted.includes('text/event-stream')) return REFUSED.postAccept;
  return isJsonContentType(request.header('content-type')) ? undefined : REFUSED.mediaType;
}

/** Reads the body into `parsedBody`, unless it is there. Returns the refusal of one that cannot be read. */
export async function readBody(request: HttpRequest, maxBytes: number): Promise<Refusal | undefined> {
  if (request.parsedBody !== undefined) return undefined;
  const limits = { maxBytes, timeoutMs: BODY_TIMEOUT_MS };
  try {
    const text = request.arrivedText?.(limits) ?? (await request.readText(limits));
    request.parsedBody = JSON.parse(text) as unknown;
    return undefined;
  } catch (error) {
    const { name } = error as Error;
    if (name === 'BodyTooLarge') return bodyTooLarge(maxBytes);
    return name === 'BodyTimeout' ? REFUSED.bodyTimeout : REFUSED.notJson;
  }
}

/** The messages of a body, or its refusal. */
export function messagesIn(body: unknown): readonly JSONRPCMessage[] | Refusal {
  const given: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (given.length > MAX_BATCH_SIZE) return REFUSED.batchTooLarge;
  const messages: JSONRPCMessage[] = [];
  for (const each of given) {
    const read = JSONRPCMessageSchema.safeParse(each);
    if (!read.success) return REFUSED.notMessage;
    messages.push(read.data as JSONRPCMessage);
  }
  return messages;
}

/** The id of a request; `undefined` for every other message. */
export function requestIdOf(message: JSONRPCMessage): RequestId | undefined {
  return 'method' in message && 'id' in message ? message.id : undefined;
}

/** The version that a client speaks, or asks for. */
export function versionOf({ request, messages }: Post): string {
  const opening: unknown = messages.find(isInitializeRequest);
  if (isInitializeRequest(opening)) return opening.params.protocolVersion;
  return request.header('mcp-protocol-version') ?? DEFAULT_NEGOTIATED_PROTOCOL_VERSION;
}

/** Whether clients of a version come back to a stream that was closed early. Versions are dates. */
export function polls(version: string): boolean {
  return version >= LATEST_PROTOCOL_VERSION;
}
