import { INTERNAL_ERROR, INVALID_PARAMS } from '../../jsonrpc/codes.ts';
import { isJsonObject, type ErrorObject } from '../../jsonrpc/message.ts';
import { FAULT_CODES, type FaultKind } from '../../protocol/errors.ts';
import { errorCodec, type NamedFault } from '../error-codec.ts';
import type { Revision } from '../revision.ts';

const codes: Readonly<Record<NamedFault, number>> = {
  ...FAULT_CODES,
  'resource-not-found': INVALID_PARAMS,
  'url-elicitation-required': INTERNAL_ERROR,
};

const kinds: ReadonlyMap<number, FaultKind> = new Map<number, FaultKind>([
  [-32700, 'parse-error'],
  [-32600, 'invalid-request'],
  [-32601, 'method-not-found'],
  [-32602, 'invalid-params'],
  [-32603, 'internal'],
  [-32020, 'header-mismatch'],
  [-32021, 'missing-capability'],
  [-32022, 'unsupported-version'],
  // Servers that also speak older revisions may still say this.
  [-32002, 'resource-not-found'],
  [-1, 'user-rejected'],
  [429, 'rate-limited'],
]);

function kindOf(error: ErrorObject): FaultKind {
  if (error.code === INVALID_PARAMS && isJsonObject(error.data) && typeof error.data['uri'] === 'string')
    return 'resource-not-found';
  return kinds.get(error.code) ?? 'other';
}

export const errors: Pick<Revision, 'readError' | 'writeError'> = errorCodec({
  codes,
  kindOf,
  // The whole range belongs to JSON-RPC and to the protocol: programs choose their numbers outside it.
  mayEmit: (code) => code < -32768 || code > -32000,
});
