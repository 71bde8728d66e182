import { isProtocolError, TransportError } from 'crosspoint/client';
import { CallDeniedError, ResultWithheldError, UnknownToolError } from '../calls/call-errors.ts';
import type { CatalogueTool } from '../catalogue/catalogue.ts';
import { ServerUnavailableError, type ServerState } from '../servers/server-state.ts';
import { asError } from '../values/guard.ts';
import type { JsonObject } from '../values/json.ts';

const MAX_MESSAGE = 2000;
const MAX_SCHEMA = 4000;

/** States of servers that cannot be called. Their causes are for people: they hold commands, and what a program wrote to stderr. */
const STATES: Readonly<Record<ServerState['status'], string>> = {
  disabled: 'is switched off',
  'pending-approval': 'has not been allowed to start by the user',
  connecting: 'is still connecting',
  ready: 'was not ready in time',
  degraded: 'was not ready in time',
  'needs-login': 'needs the user to log in',
  failed: 'cannot be reached now',
  closed: 'is closed',
};

/** A call that failed, in words that a model can act upon: what happened, whether the tool has run, and what to do. */
export function failureWords(thrown: unknown, { name, server, tool }: CatalogueTool): string {
  const error = asError(thrown);
  const message = cut(error.message, MAX_MESSAGE);
  if (error instanceof CallDeniedError)
    return error.by === 'user'
      ? `${message} The tool was not called. Do not call it again with these arguments unless the user wants it; ask them, or find another way.`
      : `${message} The tool was not called, and will not be: find another way, or tell the user.`;
  if (error instanceof ResultWithheldError) return `${message} Do not call it again to get the result.`;
  if (error instanceof UnknownToolError) return message;
  if (error instanceof ServerUnavailableError)
    return `The server "${server}" ${STATES[error.state.status]}. The tool was not called. Other servers work; try this one later, or tell the user.`;
  if (isProtocolError(error) && error.kind === 'invalid-params')
    return `The server "${server}" does not take these arguments of ${name}: ${message}\nThey have to fit this schema: ${cut(JSON.stringify(tool.inputSchema), MAX_SCHEMA)}`;
  if (isTimeout(error))
    return `${name} did not answer in time. Whether it has done its work is not known. Look before you call it again.`;
  if (error instanceof TransportError)
    return `The connection to the server "${server}" failed while ${name} ran (${error.code}). Whether it has done its work is not known. Look before you call it again.`;
  return `${name} failed: ${message}`;
}

export function unknownWords(name: string, similar: readonly string[]): string {
  const hint =
    similar.length > 0 ? `Similar names: ${similar.join(', ')}.` : 'Use the tools that you are given, by their names.';
  return `There is no tool ${JSON.stringify(cut(name, 200))}, so nothing was called. ${hint}`;
}

export function faultyInputWords(name: string, written: string): string {
  return `The arguments of ${cut(name, 200)} are no JSON object, so nothing was called. They begin with: ${cut(written, 200)}`;
}

export function unknownOutcomeWords(name: string): string {
  return `The program ended while ${name} ran, and the outcome of the call is not known: it may have done its work or not. It was not called again. Look before you call it again, or ask the user.`;
}

export function changedWords(args: JsonObject): string {
  return `The user changed the arguments. The tool was called with ${cut(JSON.stringify(args), MAX_MESSAGE)}`;
}

export function cancelledWords(name: string): string {
  return `The call of ${name} was cancelled while it ran. Whether it has done its work is not known. Look before you call it again.`;
}

function isTimeout(error: Error): boolean {
  return error instanceof TransportError && (error.code === 'idle-timeout' || error.code === 'total-timeout');
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
