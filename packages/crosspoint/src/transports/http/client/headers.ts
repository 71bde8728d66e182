import { isJsonObject, type JSONRPCMessage, type JsonObject } from '../../../jsonrpc/message.ts';
import { META_PROTOCOL_VERSION } from '../../../protocol/meta.ts';
import type { HttpRules } from '../../../revisions/revision.ts';
import { writeHeaderValue } from '../../../wire/header-value.ts';
import { NAMED_BY } from '../named-by.ts';

export const ACCEPT_BOTH = 'application/json, text/event-stream';
export const ACCEPT_STREAM = 'text/event-stream';

/** Headers by their names in lower case. */
export type PlainHeaders = Record<string, string>;

export function lowerCased(given: RequestInit['headers']): PlainHeaders {
  return Object.fromEntries(new Headers(given));
}

/** Adds the headers that repeat parts of the body. `namedBy`: the params member for `Mcp-Name`, for methods of extensions. */
export function mirrorBody(
  headers: PlainHeaders,
  message: JSONRPCMessage,
  rules: HttpRules | undefined,
  namedBy?: (method: string) => string | undefined,
): void {
  if (rules?.mirrorsBody !== true || !('method' in message)) return;
  const { method, params = {} } = message;
  headers['mcp-method'] = method;
  const member = NAMED_BY.get(method) ?? namedBy?.(method);
  const name = member === undefined ? undefined : params[member];
  if (typeof name === 'string') headers['mcp-name'] = writeHeaderValue(name);
}

/** Adds the `MCP-Protocol-Version` header of a message. `agreed`: the version of the connection. */
export function nameVersion(
  headers: PlainHeaders,
  message: JSONRPCMessage | undefined,
  rules: HttpRules | undefined,
  agreed: string | undefined,
): void {
  const params: JsonObject = message !== undefined && 'method' in message ? (message.params ?? {}) : {};
  const meta = params['_meta'];
  const own = isJsonObject(meta) ? meta[META_PROTOCOL_VERSION] : undefined;
  const opens = message !== undefined && 'method' in message && message.method === 'initialize';
  const version =
    rules?.versionHeader === 'all' ? (own ?? agreed) : rules?.versionHeader === 'none' || opens ? undefined : agreed;
  if (typeof version === 'string') headers['mcp-protocol-version'] = version;
}
