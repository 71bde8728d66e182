import {
  BodyTimeout,
  BodyTooLarge,
  type BodyLimits,
  type HttpHeaders,
  type HttpReply,
  type HttpRequest,
} from '../../transports/http/server/adapters/exchange.ts';
import { acceptsAnswer, isJson } from '../../transports/http/server/guards/media.ts';
import { refuse, type HttpRefusal } from '../../transports/http/server/adapters/refuse.ts';

/** Longest body in bytes, by default. */
export const DEFAULT_MAX_REQUEST_BODY_SIZE: number = 4 * 1024 * 1024;
/** The default limits of a body. */
export const BODY_LIMITS: BodyLimits = { maxBytes: DEFAULT_MAX_REQUEST_BODY_SIZE, timeoutMs: 30_000 };

const NOT_JSON: HttpRefusal = { status: 400, kind: 'parse-error', message: 'Parse error: the body is not JSON.' };

interface PostBody {
  readonly value: unknown;
}

/** Why a POST is refused before its body is read, or `undefined`. */
function mediaFault(request: HttpRequest): HttpRefusal | undefined {
  if (!isJson(request.header('content-type')))
    return { status: 415, message: 'POST needs Content-Type: application/json, in UTF-8.' };
  const encoding = request.header('content-encoding') ?? 'identity';
  // A framework that has read the body has decoded it as well.
  if (encoding !== 'identity' && request.parsedBody === undefined)
    return { status: 415, message: `Content-Encoding: ${encoding.slice(0, 40)} is not supported.` };
  return undefined;
}

/** Whether the client accepts both forms of an answer; otherwise the refusal has been sent. */
export function acceptsAnswers(request: HttpRequest, reply: HttpReply, headers: HttpHeaders): boolean {
  if (acceptsAnswer(request.header('accept'))) return true;
  refuse(reply, { status: 406, message: 'POST needs Accept: application/json, text/event-stream.' }, headers);
  return false;
}

/** The parsed body, in a wrapper because it may be any value; `undefined` when the refusal has been sent. Synchronous where the body has arrived. */
export function readPost(
  request: HttpRequest,
  reply: HttpReply,
  limits: BodyLimits,
  headers: HttpHeaders,
): PostBody | undefined | Promise<PostBody | undefined> {
  const fault = mediaFault(request);
  if (fault) return sendRefusal(reply, fault, headers);
  if (request.parsedBody !== undefined) return { value: request.parsedBody };
  const text = request.arrivedText?.(limits);
  return text === undefined ? readSlowly(request, reply, limits, headers) : parseBody(text, reply, headers);
}

async function readSlowly(
  request: HttpRequest,
  reply: HttpReply,
  limits: BodyLimits,
  headers: HttpHeaders,
): Promise<PostBody | undefined> {
  try {
    return parseBody(await request.readText(limits), reply, headers);
  } catch (error) {
    // The rest of the body is not read, so the connection cannot be used again.
    const closing = { ...headers, Connection: 'close' };
    if (error instanceof BodyTooLarge) return sendRefusal(reply, { status: 413, message: error.message }, closing);
    if (error instanceof BodyTimeout) return sendRefusal(reply, { status: 408, message: error.message }, closing);
    return sendRefusal(reply, NOT_JSON, headers);
  }
}

function parseBody(text: string, reply: HttpReply, headers: HttpHeaders): PostBody | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return sendRefusal(reply, NOT_JSON, headers);
  }
}

function sendRefusal(reply: HttpReply, why: HttpRefusal, headers: HttpHeaders): undefined {
  refuse(reply, why, headers);
  return undefined;
}
