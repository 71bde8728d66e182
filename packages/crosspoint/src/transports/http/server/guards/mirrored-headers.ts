import { isJsonObject, type JsonObject } from '../../../../jsonrpc/message.ts';
import { ProtocolError } from '../../../../protocol/errors.ts';
import { mirrors, type MirroredParam } from '../../../../protocol/mirrored-params.ts';
import { isHeaderText, readHeaderValue } from '../../../../wire/header-value.ts';
import type { HttpRequest } from '../adapters/exchange.ts';
import { NAMED_BY } from '../../named-by.ts';
import { remembered } from './remembered.ts';

/** The parts of a body that headers repeat. */
export interface MirroredBody {
  readonly method: string;
  readonly params: JsonObject;
  readonly claimedVersion: unknown;
  /** The params member that `Mcp-Name` repeats, for methods of extensions. */
  readonly namedBy?: string | undefined;
  /** Arguments that are repeated in headers. */
  readonly mirrored: readonly MirroredParam[];
}

/**
 * Throws when a header differs from the body. A proxy may have routed or allowed the request by its headers, so the body must say the same.
 */
export function checkMirroredHeaders(
  request: HttpRequest,
  { method, params, claimedVersion, namedBy, mirrored }: MirroredBody,
): void {
  expectHeader(request, 'mcp-protocol-version', claimedVersion);
  expectHeader(request, 'mcp-method', method);
  const member = NAMED_BY.get(method) ?? namedBy;
  const name = member === undefined ? undefined : params[member];
  if (typeof name === 'string') expectName(request, name);
  if (mirrored.length > 0) checkMirroredParams(request, params, mirrored);
}

/** Checks a header that is never encoded. */
function expectHeader(request: HttpRequest, name: string, expected: unknown): void {
  const header = request.header(name);
  if (header === undefined) throw mismatch(name, 'is missing');
  if (header !== expected) throw mismatch(name, 'does not match the body');
}

function expectName(request: HttpRequest, name: string): void {
  const header = request.header('mcp-name');
  if (header === undefined) throw mismatch('mcp-name', 'is missing');
  if (decoded('mcp-name', meaningOfName(header)) !== name) throw mismatch('mcp-name', 'does not match the body');
}

/** Throws when a header differs from the argument that it repeats. */
export function checkMirroredParams(
  request: Pick<HttpRequest, 'header'>,
  { arguments: given = {} }: JsonObject,
  mirrored: readonly MirroredParam[],
): void {
  const args = isJsonObject(given) ? given : {};
  for (const param of mirrored) {
    const header = request.header(param.header);
    const value = header === undefined ? undefined : decoded(param.header, meaningOf(header));
    if (!mirrors(param, args, value))
      throw mismatch(
        param.header,
        value === undefined ? 'is missing' : `does not match the argument ${param.path.join('.')}`,
      );
  }
}

/** The decoded text of a header. */
function decoded(name: string, meaning: Meaning): string {
  if (meaning.text === undefined) throw mismatch(name, meaning.fault);
  return meaning.text;
}

type Meaning = { readonly text: string } | { readonly text: undefined; readonly fault: string };

/** A header with characters that need base64 is refused even where it would match. */
function meaningOf(header: string): Meaning {
  if (!isHeaderText(header)) return { text: undefined, fault: 'has characters that need the base64 form' };
  const text = readHeaderValue(header);
  return text === undefined ? { text, fault: 'is not valid base64' } : { text };
}

/** Cached, because the same few tools are called repeatedly; arguments are not cached. */
const meaningOfName: (header: string | undefined) => Meaning = /* @__PURE__ */ remembered((header = '') =>
  meaningOf(header),
);

function mismatch(header: string, what: string): ProtocolError {
  return new ProtocolError('header-mismatch', `The header ${header} ${what}.`, { header });
}
