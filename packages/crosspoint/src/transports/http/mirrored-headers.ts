import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { mirrors, type MirroredParam } from '../../protocol/mirrored-params.ts';
import { isHeaderText, readHeaderValue } from '../../wire/header-value.ts';
import type { HttpRequest } from './exchange.ts';
import { NAMED_BY } from './named-by.ts';

/** What the body says, as far as headers repeat it. */
export interface MirroredBody {
  readonly method: string;
  readonly params: JsonObject;
  readonly claimedVersion: unknown;
  /** The member of the params that `Mcp-Name` repeats, where an extension says so. */
  readonly namedBy?: string | undefined;
  /** The arguments that have headers of their own. */
  readonly mirrored: readonly MirroredParam[];
}

/**
 * Throws when the headers do not say what the body says. Whoever routed or allowed the request by its headers must have seen the same
 * request that is now served.
 */
export function checkMirroredHeaders(
  request: HttpRequest,
  { method, params, claimedVersion, namedBy, mirrored }: MirroredBody,
): void {
  expectHeader(request, 'mcp-protocol-version', claimedVersion);
  expectHeader(request, 'mcp-method', method);
  const member = NAMED_BY.get(method) ?? namedBy;
  const name = member === undefined ? undefined : params[member];
  if (typeof name === 'string' && decoded(request, 'mcp-name', 'is missing') !== name)
    throw mismatch('mcp-name', 'does not match the body');
  if (mirrored.length > 0) checkParams(request, params, mirrored);
}

/** A header that has no encoded form. */
function expectHeader(request: HttpRequest, name: string, expected: unknown): void {
  const header = request.header(name);
  if (header === undefined) throw mismatch(name, 'is missing');
  if (header !== expected) throw mismatch(name, 'does not match the body');
}

function checkParams(
  request: HttpRequest,
  { arguments: given = {} }: JsonObject,
  mirrored: readonly MirroredParam[],
): void {
  const args = isJsonObject(given) ? given : {};
  for (const param of mirrored) {
    const value = decoded(request, param.header);
    if (!mirrors(param, args, value))
      throw mismatch(
        param.header,
        value === undefined ? 'is missing' : `does not match the argument ${param.path.join('.')}`,
      );
  }
}

/** The text that a header stands for. One that holds what a header may not hold is refused even where it would match. */
function decoded(request: HttpRequest, name: string, whenAbsent?: string): string | undefined {
  const header = request.header(name);
  if (header === undefined && whenAbsent !== undefined) throw mismatch(name, whenAbsent);
  if (header === undefined) return undefined;
  if (!isHeaderText(header)) throw mismatch(name, 'holds characters that need the base64 form');
  const value = readHeaderValue(header);
  if (value === undefined) throw mismatch(name, 'is not valid base64');
  return value;
}

function mismatch(header: string, what: string): ProtocolError {
  return new ProtocolError('header-mismatch', `The header ${header} ${what}.`, { header });
}
