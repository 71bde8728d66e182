import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { mirrors, type MirroredParam } from '../../protocol/mirrored-params.ts';
import type { Inbound } from '../../protocol/outcome.ts';
import type { HttpRequest } from '../../transports/http/exchange.ts';
import { readHeaderValue } from '../../wire/header-value.ts';

/** Which member of the params `Mcp-Name` repeats. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/**
 * Throws when the headers do not say what the body says. Whoever routed or allowed the request by its headers must have seen the same
 * request that is now served.
 */
export function checkMirroredHeaders(request: HttpRequest, inbound: Inbound, claimed: string, params: readonly MirroredParam[]): void {
  expectHeader(request, 'mcp-protocol-version', claimed);
  expectHeader(request, 'mcp-method', inbound.method);
  const member = NAMED_BY.get(inbound.method);
  const name = member === undefined ? undefined : inbound.params[member];
  if (typeof name === 'string') expectHeader(request, 'mcp-name', name);
  if (params.length > 0) checkParams(request, inbound.params, params);
}

function expectHeader(request: HttpRequest, name: string, expected: string): void {
  const header = request.header(name);
  if (header === undefined) throw mismatch(name, 'is missing');
  if (header === expected) return;
  const value = readHeaderValue(header);
  if (value === undefined) throw mismatch(name, 'is not valid base64');
  if (value !== expected) throw mismatch(name, 'does not match the body');
}

function checkParams(request: HttpRequest, { arguments: given = {} }: JsonObject, params: readonly MirroredParam[]): void {
  const args = isJsonObject(given) ? given : {};
  for (const param of params) {
    const header = request.header(param.header);
    const value = header === undefined ? undefined : readHeaderValue(header);
    if (header !== undefined && value === undefined) throw mismatch(param.header, 'is not valid base64');
    if (!mirrors(param, args, value)) throw mismatch(param.header, header === undefined ? 'is missing' : `does not match the argument ${param.path.join('.')}`);
  }
}

function mismatch(header: string, what: string): ProtocolError {
  return new ProtocolError('header-mismatch', `The header ${header} ${what}.`, { header });
}
