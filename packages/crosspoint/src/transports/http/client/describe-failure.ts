import { isJsonObject, kindOf, type ErrorObject, type JSONRPCErrorResponse } from '../../../jsonrpc/message.ts';
import { TransportError } from '../../../protocol/errors.ts';
import { redactText } from '../../../protocol/redaction/redact-text.ts';
import { SdkHttpError } from './http-error.ts';
import type { HttpFailure } from './http-failure.ts';

const SHOWN = 500;

export function describeFailure(response: Pick<Response, 'status' | 'headers'>, text: string): HttpFailure {
  const contentType = response.headers.get('content-type') ?? undefined;
  return { status: response.status, contentType, body: redactText(text.slice(0, SHOWN)), error: errorIn(text) };
}

/** `what`: the request, as "POST https://host/path". */
export function httpError(what: string, failure: HttpFailure, why?: string): TransportError {
  const { status, contentType, body, error } = failure;
  const said = error === undefined ? (body === '' ? 'an empty body' : body) : `error ${error.code}: ${error.message}`;
  const message = `${what} was answered with ${status} (${contentType ?? 'no content type'})${why === undefined ? '' : `, ${why}`}: ${said}`;
  return new SdkHttpError('http', message, { status, contentType, body, error, http: failure });
}

/** No answer at all. The reasons of `fetch` are in the causes, one below the other. */
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

/** The address without what may be secret in it. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/** The words of real servers for a session that they do not know (any more), beside the status that the protocol has for it. */
const FORGOTTEN = /\bsession\b|not initiali[sz]ed/i;
const MAY_MEAN_FORGOTTEN: ReadonlySet<number> = new Set([400, 409, 410, 503]);
const METHOD_NOT_FOUND = -32601;

/** Whether the answer to a request that named a session says that there is no such session. */
export function saysSessionLost({ status, body, error }: HttpFailure): boolean {
  if (status === 404) return error?.code !== METHOD_NOT_FOUND;
  return MAY_MEAN_FORGOTTEN.has(status) && FORGOTTEN.test(error === undefined ? body : error.message);
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

/** The answer will not be had any more, whether or not there was one. */
export function brokenStream(what: string, cause: unknown): TransportError {
  const message = `The answer to ${what} ended before it was complete, so the request may or may not have been carried out; it was not repeated.`;
  return new TransportError('delivery-unknown', message, {}, cause === undefined ? undefined : { cause });
}

export function notOpen(): TransportError {
  return new TransportError('closed', 'The transport is not started, or closed.');
}
