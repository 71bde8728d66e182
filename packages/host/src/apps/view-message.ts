import { isObject, type JsonObject } from '../values/json.ts';

export type ViewRequestId = string | number;

/** A message of a view, after the first checks. */
export type ViewMessage =
  | { readonly kind: 'request'; readonly id: ViewRequestId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'response'; readonly id: ViewRequestId; readonly isError: boolean }
  /** `id` is there where the view can be answered. */
  | { readonly kind: 'malformed'; readonly id?: ViewRequestId; readonly fault: string };

const LONGEST_NAME = 200;

/** Reads one message. The result is a copy of plain JSON, so that nothing the view holds on to is kept. */
export function readViewMessage(given: unknown, maxLength: number): ViewMessage {
  let message: unknown;
  try {
    const text = JSON.stringify(given);
    if (text === undefined) return { kind: 'malformed', fault: 'it is no JSON' };
    if (text.length > maxLength)
      return { ...idOf(given), kind: 'malformed', fault: `it has more than ${maxLength} characters` };
    message = JSON.parse(text);
  } catch {
    return { kind: 'malformed', fault: 'it is no JSON' };
  }
  if (!isObject(message) || message['jsonrpc'] !== '2.0')
    return { kind: 'malformed', fault: 'it is no JSON-RPC 2.0 message' };
  return 'method' in message ? readCall(message) : readResponse(message);
}

function readCall(message: JsonObject): ViewMessage {
  const { method, params = {}, id } = message;
  const known = idOf(message);
  if (typeof method !== 'string' || method === '' || method.length > LONGEST_NAME)
    return { ...known, kind: 'malformed', fault: 'its method is no name' };
  if (!isObject(params)) return { ...known, kind: 'malformed', fault: 'its params are no object' };
  if (id === undefined) return { kind: 'notification', method, params };
  return known.id === undefined
    ? { kind: 'malformed', fault: 'its id is neither a text nor a number' }
    : { kind: 'request', id: known.id, method, params };
}

function readResponse(message: JsonObject): ViewMessage {
  const { id } = idOf(message);
  const isError = isObject(message['error']);
  if (id === undefined || isError === isObject(message['result']))
    return { kind: 'malformed', fault: 'it is neither a request nor a response' };
  return { kind: 'response', id, isError };
}

function idOf(message: unknown): { readonly id?: ViewRequestId } {
  const id = isObject(message) ? message['id'] : undefined;
  if (typeof id === 'string') return id.length <= LONGEST_NAME ? { id } : {};
  return typeof id === 'number' && Number.isFinite(id) ? { id } : {};
}
