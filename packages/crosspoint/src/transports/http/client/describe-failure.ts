import {
  isJsonObject,
  kindOf,
  type ErrorObject,
  type JSONRPCErrorResponse,
  type RequestId,
} from '../../../jsonrpc/message.ts';
import { TransportError } from '../../../protocol/errors.ts';
import { redactText } from '../../../protocol/redaction/redact-text.ts';
import { SdkHttpError } from './http-error.ts';
import type { HttpFailure } from './http-failure.ts';

const SHOWN = 500;

export function describeFailure(response: Pick<Response, 'status' | 'headers'>, text: string): HttpFailure {
  const contentType = response.headers.get('content-type') ?? undefined;
  return { status: response.status, contentType, body: redactText(text.slice(0, SHOWN)), error: errorIn(text) };
}

/** An error for an HTTP response that is no answer of the protocol. `what`: the request, such as "POST https://host/path". */
export function httpError(what: string, failure: HttpFailure, why?: string): TransportError {
  const { status, contentType, body, error } = failure;
  const said = error === undefined ? (body === '' ? 'an empty body' : body) : `error ${error.code}: ${error.message}`;
  const message = `${what} was answered with ${status} (${contentType ?? 'no content type'})${why === undefined ? '' : `, ${why}`}: ${said}`;
  return new SdkHttpError('http', message, { status, contentType, body, error, http: failure });
}

/** An error for a request without a response. `fetch` nests its reasons as causes; up to four are joined. */
export function networkError(what: string, cause: unknown): TransportError {
  const reasons: string[] = [];
  for (let error = cause; error instanceof Error && reasons.length < 4; error = error.cause) {
    if (error.message !== '' && !reasons.includes(error.message)) reasons.push(error.message);
  }
  return new TransportError(
    'network',
    `${what} failed: ${redactText(reasons.join(': ') || String(cause))}`,
    {},
    { cause },
  );
}

/** The address without query and fragment, which may hold secrets. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/** Wording of real servers for an unknown session, beside the 404 that the protocol prescribes. */
const FORGOTTEN = /\bsession\b|not initiali[sz]ed/i;
const MAY_MEAN_FORGOTTEN: ReadonlySet<number> = new Set([400, 409, 410, 503]);
const METHOD_NOT_FOUND = -32601;

/** Whether the response to a request that named a session says that the session does not exist. */
export function saysSessionLost({ status, body, error }: HttpFailure): boolean {
  if (status === 404) return error?.code !== METHOD_NOT_FOUND;
  return MAY_MEAN_FORGOTTEN.has(status) && FORGOTTEN.test(error === undefined ? body : error.message);
}

/**
 * The error for a lost session. Its `refused` are the requests of the POST that the failure answers (`posted`), which were therefore not carried
 * out; none for 503, which a gateway may write when the server was at work already.
 */
export function sessionLost(failure: HttpFailure, cause: Error, posted: readonly RequestId[]): TransportError {
  const refused = failure.status === 503 ? [] : posted;
  const message = `The server no longer knows the session. ${cause.message}`;
  return new TransportError('session-lost', message, { ...failure, http: failure, refused }, { cause });
}

function errorIn(text: string): ErrorObject | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && kindOf(value) === 'error'
      ? (value as object as JSONRPCErrorResponse).error
      : undefined;
  } catch {
    return undefined;
  }
}

/** An error for a stream that ended without the answer, which can no longer arrive. */
export function brokenStream(what: string, cause: unknown): TransportError {
  const message = `The answer to ${what} ended before it was complete, so the request may or may not have been carried out; it was not repeated.`;
  return new TransportError('delivery-unknown', message, {}, cause === undefined ? undefined : { cause });
}

export function notOpen(): TransportError {
  return new TransportError('closed', 'The HTTP transport is not connected: connect a client first.');
}
