/** Type guards of whole messages: they check the shape, not the meaning. */
import {
  explainInvalid,
  isJsonObject,
  kindOf,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type JSONRPCResultResponse,
} from '../../jsonrpc/message.ts';
import { serialise } from '../../jsonrpc/serialise.ts';
import { ProtocolError } from '../errors.ts';
import type {
  CompleteRequest,
  CompleteRequestPrompt,
  CompleteRequestResourceTemplate,
  InitializeRequest,
  InitializedNotification,
  InputRequiredResult,
  TaskAugmentedRequestParams,
} from './message-types.ts';
import type { CallToolResult } from '../tools.ts';

export const JSONRPC_VERSION = '2.0';

export const isJSONRPCRequest = (value: unknown): value is JSONRPCRequest => kindOf(value) === 'request';
export const isJSONRPCNotification = (value: unknown): value is JSONRPCNotification => kindOf(value) === 'notification';
export const isJSONRPCResultResponse = (value: unknown): value is JSONRPCResultResponse => kindOf(value) === 'result';
export const isJSONRPCErrorResponse = (value: unknown): value is JSONRPCErrorResponse => kindOf(value) === 'error';
export const isJSONRPCResponse = (value: unknown): value is JSONRPCResponse =>
  isJSONRPCResultResponse(value) || isJSONRPCErrorResponse(value);

/** Returns the value as a message. Throws `invalid-request` for any other value. */
export function parseJSONRPCMessage(value: unknown): JSONRPCMessage {
  if (kindOf(value) === 'invalid') throw new ProtocolError('invalid-request', explainInvalid(value).reason);
  return value as JSONRPCMessage;
}

/** The message as one line of JSON, with its newline. */
export const serializeMessage = (message: JSONRPCMessage): string => `${serialise(message)}\n`;

/** Parses one line of JSON as a message. Throws when it is neither. */
export const deserializeMessage = (line: string): JSONRPCMessage => parseJSONRPCMessage(JSON.parse(line));

export function isInitializeRequest(value: unknown): value is InitializeRequest {
  if (!isJsonObject(value) || value['method'] !== 'initialize' || !isJsonObject(value['params'])) return false;
  const { protocolVersion, capabilities, clientInfo } = value['params'];
  return typeof protocolVersion === 'string' && isJsonObject(capabilities) && isNamed(clientInfo);
}

const isNamed = (info: unknown): boolean =>
  isJsonObject(info) && typeof info['name'] === 'string' && typeof info['version'] === 'string';

export const isInitializedNotification = (value: unknown): value is InitializedNotification =>
  isJsonObject(value) && value['method'] === 'notifications/initialized';

export function isCallToolResult(value: unknown): value is CallToolResult {
  if (!isJsonObject(value) || !Array.isArray(value['content'])) return false;
  return value['content'].every((block) => isJsonObject(block) && typeof block['type'] === 'string');
}

export const isInputRequiredResult = (value: unknown): value is InputRequiredResult =>
  isJsonObject(value) && value['resultType'] === 'input_required';

export const isTaskAugmentedRequestParams = (value: unknown): value is TaskAugmentedRequestParams =>
  isJsonObject(value) && (value['task'] === undefined || isJsonObject(value['task']));

export function assertCompleteRequestPrompt(request: CompleteRequest): asserts request is CompleteRequestPrompt {
  if (request.params.ref.type !== 'ref/prompt')
    throw new TypeError(`The completion is of a ${request.params.ref.type}, not of a ref/prompt.`);
}

export function assertCompleteRequestResourceTemplate(
  request: CompleteRequest,
): asserts request is CompleteRequestResourceTemplate {
  if (request.params.ref.type !== 'ref/resource')
    throw new TypeError(`The completion is of a ${request.params.ref.type}, not of a ref/resource.`);
}
