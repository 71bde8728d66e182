/** JSON-RPC 2.0 messages, narrowed as far as the protocol on top narrows them: ids are strings or integers, params are objects. */

/** An object as JSON has it. Its values are unchecked: narrow them before use. */
export type JsonObject = { [key: string]: unknown };

export type RequestId = string | number;

export interface JSONRPCRequest {
  jsonrpc: '2.0';
  id: RequestId;
  method: string;
  params?: JsonObject;
}

export interface JSONRPCNotification {
  jsonrpc: '2.0';
  method: string;
  params?: JsonObject;
}

export interface JSONRPCResultResponse {
  jsonrpc: '2.0';
  id: RequestId;
  result: JsonObject;
}

export interface ErrorObject {
  code: number;
  message: string;
  data?: unknown;
}

/** `id` is absent (or null, as plain JSON-RPC spells it) when the request's own id could not be read. */
export interface JSONRPCErrorResponse {
  jsonrpc: '2.0';
  id?: RequestId | null;
  error: ErrorObject;
}

export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse;
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse;
export type JSONRPCBatch = readonly JSONRPCMessage[];

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value));
}

/** The kind of a decoded JSON value. `invalid` carries no detail; `explainInvalid` finds the reason, on the failing path alone. */
export type MessageKind = 'request' | 'notification' | 'result' | 'error' | 'invalid';

export function kindOf(value: unknown): MessageKind {
  if (!isJsonObject(value) || value['jsonrpc'] !== '2.0') return 'invalid';
  const { id, method, params, result, error } = value;
  if (method !== undefined) {
    if (typeof method !== 'string' || result !== undefined || error !== undefined) return 'invalid';
    if (params !== undefined && !isJsonObject(params)) return 'invalid';
    if (id === undefined) return 'notification';
    return isRequestId(id) ? 'request' : 'invalid';
  }
  if (result !== undefined)
    return error === undefined && isRequestId(id) && isJsonObject(result) ? 'result' : 'invalid';
  return isErrorObject(error) && (id === undefined || id === null || isRequestId(id)) ? 'error' : 'invalid';
}

export function isErrorObject(value: unknown): value is ErrorObject {
  return isJsonObject(value) && Number.isInteger(value['code']) && typeof value['message'] === 'string';
}

/** Why a value is no message, the id it can be answered with, and whether it asked for an answer at all. */
export interface InvalidMessage {
  readonly reason: string;
  readonly id: RequestId | undefined;
  readonly answerable: boolean;
}

export function explainInvalid(value: unknown): InvalidMessage {
  if (Array.isArray(value)) {
    const reason = value.length === 0 ? 'A batch must not be empty.' : 'A batch is not allowed here.';
    return { reason, id: undefined, answerable: true };
  }
  if (!isJsonObject(value)) return { reason: 'A message must be a JSON object.', id: undefined, answerable: true };
  const { id, method, result, error } = value;
  const readable = isRequestId(id) ? id : undefined;
  // A broken response or notification must not be answered; only a value that tried to be a request is.
  const isResponse = method === undefined && (result !== undefined || error !== undefined);
  const answerable = !isResponse && !(typeof method === 'string' && !('id' in value));
  return { reason: invalidReason(value), id: readable, answerable };
}

function invalidReason(value: JsonObject): string {
  const { id, method, params, result, error } = value;
  if (value['jsonrpc'] !== '2.0') return 'The jsonrpc member must be "2.0".';
  if (method !== undefined && typeof method !== 'string') return 'The method must be a string.';
  if (method !== undefined && (result !== undefined || error !== undefined))
    return 'A message is a request or a response, not both.';
  if (params !== undefined && !isJsonObject(params)) return 'The params must be an object.';
  if (id === null) return 'The id must not be null.';
  if (id !== undefined && !isRequestId(id)) return 'The id must be a string or an integer.';
  if (result !== undefined && error !== undefined) return 'A response has a result or an error, not both.';
  if (result !== undefined && !isJsonObject(result)) return 'A result must be an object.';
  if (error !== undefined && !isErrorObject(error)) return 'An error needs an integer code and a message.';
  return 'A message needs a method, a result or an error.';
}
