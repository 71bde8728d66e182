import { isJsonObject, type JSONRPCMessage, type JsonObject } from '../../../jsonrpc/message.ts';
import { META_PROTOCOL_VERSION } from '../../../protocol/meta.ts';
import type { HttpRules } from '../../../revisions/revision.ts';
import { writeHeaderValue } from '../../../wire/header-value.ts';
import { NAMED_BY } from '../named-by.ts';

export const ACCEPT_BOTH = 'application/json, text/event-stream';
export const ACCEPT_STREAM = 'text/event-stream';

/** The headers that repeat parts of the body. `namedBy`: the params member for `Mcp-Name`, for methods of extensions. */
export function mirroredHeaders(
  message: JSONRPCMessage,
  rules: HttpRules | undefined,
  namedBy?: (method: string) => string | undefined,
): Record<string, string> {
  if (rules?.mirrorsBody !== true || !('method' in message)) return {};
  const { method, params = {} } = message;
  const headers: Record<string, string> = { 'Mcp-Method': method };
  const member = NAMED_BY.get(method) ?? namedBy?.(method);
  const name = member === undefined ? undefined : params[member];
  if (typeof name === 'string') headers['Mcp-Name'] = writeHeaderValue(name);
  return headers;
}

/** The `MCP-Protocol-Version` header of a message. `agreed`: the version of the connection. */
export function versionHeader(
  message: JSONRPCMessage | undefined,
  rules: HttpRules | undefined,
  agreed: string | undefined,
): Record<string, string> {
  const params: JsonObject = message !== undefined && 'method' in message ? (message.params ?? {}) : {};
  const meta = params['_meta'];
  const own = isJsonObject(meta) ? meta[META_PROTOCOL_VERSION] : undefined;
  const opens = message !== undefined && 'method' in message && message.method === 'initialize';
  const version =
    rules?.versionHeader === 'all' ? (own ?? agreed) : rules?.versionHeader === 'none' || opens ? undefined : agreed;
  return typeof version === 'string' ? { 'MCP-Protocol-Version': version } : {};
}
